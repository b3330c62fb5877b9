/** What the resolver knows of one source of one metric and day. Nothing here is a value: it picks, it does not compute. */
export interface SourceCandidate {
  /** Of the row: its road and its source, e.g. `garmin/src_1f`. */
  readonly key: string;
  readonly sourceId: string;
  /** `watch`, `phone`, `platform_merged`, … */
  readonly sourceType: string;
  /** The road that it came by. */
  readonly provider: string;
  /** Who wrote it, where that is another than the road (a Garmin run that arrives through Strava); undefined when it is not known. */
  readonly originProvider: string | undefined;
  /** 0 to 1: time worn, or hours with data; undefined when the provider does not say. */
  readonly coverage: number | undefined;
}

export interface PriorityEntry {
  readonly by: 'source' | 'provider' | 'type';
  readonly is: string;
}

/** Best first. Whatever no entry names comes after all of them, in the order of {@link defaultPriority}. */
export type PriorityList = readonly PriorityEntry[];

/** The lists that may apply to one metric; the first that is there does. */
export interface PriorityLists {
  /** What the tenant set for this user and metric. */
  readonly ofUser: PriorityList | undefined;
  /** What the tenant set for the metric. */
  readonly ofTenant: PriorityList | undefined;
}

const types = (...names: string[]): PriorityList => names.map((is) => ({ by: 'type', is }));
const usual = ['watch', 'band', 'ring', 'chest_strap', 'phone', 'app', 'manual'];
const ofBody = new Set([
  ...['body_weight', 'body_fat_percentage', 'lean_body_mass', 'fat_mass', 'muscle_mass', 'bone_mass', 'body_water_mass', 'bmi'],
]);

/** The order of kinds of device that holds where nobody has said anything else. */
export function defaultPriority(metric: string): PriorityList {
  if (ofBody.has(metric)) return types('scale', ...usual);
  return metric === 'blood_pressure' ? types('cuff', ...usual) : types(...usual);
}

/** Best first. What is equal by it is told apart by {@link byKey}, so that the same candidates give the same pick however they are listed. */
export function byPriority(metric: string, lists: PriorityLists): (a: SourceCandidate, b: SourceCandidate) => number {
  const chosen = lists.ofUser ?? lists.ofTenant ?? [];
  const fallback = defaultPriority(metric);
  return (a, b) =>
    rankIn(chosen, a) - rankIn(chosen, b) || rankIn(fallback, a) - rankIn(fallback, b) || (b.coverage ?? 0) - (a.coverage ?? 0);
}

export function byKey(a: Pick<SourceCandidate, 'key'>, b: Pick<SourceCandidate, 'key'>): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** Came by another road than its writer's own. */
export function isRelayed({ provider, originProvider }: Pick<SourceCandidate, 'provider' | 'originProvider'>): boolean {
  return originProvider !== undefined && originProvider !== provider;
}

function rankIn(list: PriorityList, { sourceId, provider, sourceType }: SourceCandidate): number {
  const named = { source: sourceId, provider, type: sourceType };
  const rank = list.findIndex(({ by, is }) => named[by] === is);
  return rank === -1 ? list.length : rank;
}
