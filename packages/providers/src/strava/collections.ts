/** What we read of Strava, in the words of its `object_type`. It has no sleep and no daily totals. */
export const stravaCollections = ['activity'] as const;

export type StravaCollection = (typeof stravaCollections)[number];
