/**
 * What we read of Google Health, by its `dataType`, and how its spans are told where a notification tells them both ways: daily totals by
 * civil days, which also makes the many notifications of one day one window; sessions and samples by instants. A type that is not
 * here is acknowledged and gives no notice.
 */
export const googleCollections = {
  steps: 'days',
  distance: 'days',
  floors: 'days',
  'total-calories': 'days',
  'active-minutes': 'days',
  'daily-resting-heart-rate': 'days',
  'daily-heart-rate-variability': 'days',
  'daily-oxygen-saturation': 'days',
  'daily-respiratory-rate': 'days',
  sleep: 'instants',
  exercise: 'instants',
  'heart-rate': 'instants',
  weight: 'instants',
  'body-fat': 'instants',
  height: 'instants',
  'blood-glucose': 'instants',
} as const satisfies Record<string, 'days' | 'instants'>;

export type GoogleCollection = keyof typeof googleCollections;

export function isGoogleCollection(name: string): name is GoogleCollection {
  return Object.hasOwn(googleCollections, name);
}
