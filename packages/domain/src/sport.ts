/** Canonical sports (contract §2.4). A finer kind stands in `subSport`. */
export const sports = [
  'american_football',
  'badminton',
  'baseball',
  'basketball',
  'boxing',
  'cardio',
  'climbing',
  'cricket',
  'cycling',
  'dance',
  'elliptical',
  'golf',
  'handball',
  'handcycling',
  'hiit',
  'hiking',
  'hockey',
  'horse_riding',
  'ice_skating',
  'inline_skating',
  'jump_rope',
  'kayaking',
  'martial_arts',
  'meditation',
  'mountaineering',
  'multisport',
  'other',
  'padel',
  'pickleball',
  'pilates',
  'recovery',
  'rowing',
  'rugby',
  'running',
  'sailing',
  'ski',
  'snowboard',
  'snowshoe',
  'soccer',
  'squash',
  'stairs',
  'strength',
  'stretching',
  'sup',
  'surfing',
  'swimming',
  'table_tennis',
  'tennis',
  'volleyball',
  'walking',
  'wheelchair',
  'yoga',
] as const;

export type Sport = (typeof sports)[number];

export const environments = ['indoor', 'outdoor', 'virtual', 'pool', 'open_water'] as const;

export type Environment = (typeof environments)[number];

export interface SportOf {
  readonly sport: Sport;
  readonly subSport: string | null;
  readonly environment: Environment | null;
}

/** `sport`, `sport.sub_sport`, either with `@environment`. */
export type SportCode = Sport | `${Sport}.${string}` | `${Sport}@${Environment}` | `${Sport}.${string}@${Environment}`;
