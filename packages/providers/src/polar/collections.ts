/** What of Polar is read, in the words of its paths (`/v3/users/sleep` …). The events of SleepWise hold estimates that are not. */
export const polarCollections = ['exercises', 'activities', 'sleep', 'nightly-recharge', 'continuous-heart-rate', 'physical-info'] as const;

export type PolarCollection = (typeof polarCollections)[number];
