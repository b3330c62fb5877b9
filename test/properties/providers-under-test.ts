/** A document that a history may put, change and delete. `variants` are the states that it may be in. */
export interface Slot {
  readonly collection: string;
  readonly id: string;
  readonly variants: readonly object[];
}

export interface UnderTest {
  readonly provider: string;
  readonly slots: readonly Slot[];
  /** What is there from the beginning and never changes, so that what a history deletes is not nearly everything. */
  readonly stable: readonly Slot[];
  /** Whether a sweep brings every loss to light. Otherwise the provider repeats its webhooks, shows nothing unasked and tells of no deletion. */
  readonly swept: boolean;
  /** Two values of the stand-in's truth by the rows that they become, so that the adapter is not its own oracle. */
  readonly oracle: readonly {
    readonly collection: string;
    readonly metric: string;
    valueOf(document: Readonly<Record<string, unknown>>): unknown;
  }[];
}

const DAY_MS = 86_400_000;

/** @param today epoch milliseconds. Days lie far enough back to be closed, and within the reach of a sweep of three weeks. */
export function providersUnderTest(today: number): readonly UnderTest[] {
  const day = (ago: number) => new Date(today - ago * DAY_MS).toISOString().slice(0, 10);
  const seconds = (ago: number, time: string) => Date.parse(`${day(ago)}T${time}Z`) / 1000;
  const range = (count: number) => Array.from({ length: count }, (_, n) => n);
  const uuid = (n: number) => `0f8fad5b-d9cb-469f-a165-70867728${String(9000 + n)}`;

  const oura: UnderTest = {
    provider: 'oura',
    swept: true,
    slots: [
      { collection: 'daily_activity', id: 'act-1', variants: [1000, 2000, 3000].map((steps) => ({ day: day(8), steps })) },
      {
        collection: 'daily_activity',
        id: 'act-2',
        variants: [
          { day: day(9), steps: 4000 },
          { day: day(9), steps: 4500, active_calories: 12 },
        ],
      },
      {
        collection: 'sleep',
        id: 'night-1',
        variants: [
          { day: day(8), average_hrv: 40 },
          { day: day(8), average_hrv: 44 },
          { day: day(8), type: 'deleted' },
          { day: day(7), bedtime_start: `${day(7)}T00:20:00+00:00`, bedtime_end: `${day(7)}T07:00:00+00:00` },
        ],
      },
      {
        collection: 'workout',
        id: 'run-1',
        variants: [
          { day: day(8), calories: 100 },
          { day: day(8), calories: 150 },
        ],
      },
      {
        collection: 'daily_readiness',
        id: 'ready-1',
        variants: [
          { day: day(8), score: 70 },
          { day: day(8), score: 80 },
        ],
      },
    ],
    stable: range(7).map((n) => ({ collection: 'daily_activity', id: `still-${n}`, variants: [{ day: day(10 + n), steps: 7000 + n }] })),
    oracle: [{ collection: 'daily_activity', metric: 'steps', valueOf: (document) => document['steps'] }],
  };

  const cycleTimes = (ago: number) => ({ start: `${day(ago + 1)}T21:10:30.000Z`, end: `${day(ago)}T21:30:00.000Z` });
  const night = (n: number, ago: number, more: object = {}) => ({
    cycle_id: 900 + n,
    start: `${day(ago + 1)}T21:10:30.000Z`,
    end: `${day(ago)}T04:41:30.000Z`,
    ...more,
  });
  const workout = (ago: number, kilojoule: number) => ({
    start: `${day(ago)}T16:10:00.000Z`,
    end: `${day(ago)}T16:41:04.000Z`,
    score: { kilojoule },
  });
  const whoop: UnderTest = {
    provider: 'whoop',
    swept: true,
    slots: [
      {
        collection: 'sleep',
        id: uuid(1),
        variants: [night(1, 8), night(1, 8, { score: { respiratory_rate: 15.5 } }), night(1, 8, { nap: true })],
      },
      { collection: 'workout', id: uuid(2), variants: [workout(8, 900), workout(8, 950), workout(7, 950)] },
      { collection: 'workout', id: uuid(3), variants: [workout(9, 500), workout(9, 510)] },
    ],
    stable: [
      { collection: 'cycle', id: '901', variants: [cycleTimes(8)] },
      ...range(7).flatMap((n) => [
        { collection: 'cycle', id: String(910 + n), variants: [cycleTimes(10 + n)] },
        { collection: 'sleep', id: uuid(10 + n), variants: [night(10 + n, 10 + n)] },
        { collection: 'recovery', id: uuid(10 + n), variants: [{ cycle_id: 910 + n }] },
        { collection: 'workout', id: uuid(30 + n), variants: [workout(10 + n, 700 + n)] },
      ]),
    ],
    oracle: [
      {
        collection: 'sleep',
        metric: 'respiratory_rate_night',
        valueOf: (document) =>
          document['nap'] === true ? undefined : Math.round((document['score'] as { respiratory_rate: number }).respiratory_rate * 10) / 10,
      },
    ],
  };

  const activity = (ago: number, more: object = {}) => ({ start_date: `${day(ago)}T16:30:00Z`, ...more });
  const strava: UnderTest = {
    provider: 'strava',
    swept: true,
    slots: [
      { collection: 'activity', id: '101', variants: [activity(8), activity(8, { distance: 6000 }), activity(8, { sport_type: 'Hike' })] },
      { collection: 'activity', id: '102', variants: [activity(9, { calories: 200 }), activity(7, { calories: 220 })] },
      { collection: 'activity', id: '103', variants: [activity(6), activity(6, { elapsed_time: 2000 })] },
    ],
    stable: range(7).map((n) => ({ collection: 'activity', id: String(200 + n), variants: [activity(10 + n)] })),
    oracle: [],
  };

  const weighed = (ago: number, grams: number, time = '07:00:00') => ({
    date: seconds(ago, time),
    measures: [{ value: grams, type: 1, unit: -3 }],
  });
  const slept = (ago: number, more: object = {}) => ({
    startdate: seconds(ago + 1, '21:10:30'),
    enddate: seconds(ago, '04:41:30'),
    date: day(ago),
    ...more,
  });
  const withings: UnderTest = {
    provider: 'withings',
    swept: true,
    slots: [
      { collection: 'measure', id: '501', variants: [weighed(8, 72_500), weighed(8, 72_900), weighed(7, 72_500)] },
      { collection: 'activity', id: day(8), variants: [{ steps: 3000 }, { steps: 3500 }, { steps: 2500 }] },
      {
        collection: 'sleep',
        id: '601',
        variants: [slept(8), slept(8, { enddate: seconds(8, '05:00:00') })],
      },
      {
        collection: 'workout',
        id: '701',
        variants: [1800, 2100].map((length) => ({
          startdate: seconds(8, '16:00:00'),
          enddate: seconds(8, '16:00:00') + length,
          date: day(8),
        })),
      },
    ],
    stable: [
      ...range(7).map((n) => ({ collection: 'measure', id: String(800 + n), variants: [weighed(10 + n, 71_000 + n * 100)] })),
      ...range(6).map((n) => ({ collection: 'activity', id: day(10 + n), variants: [{ steps: 6000 + n }] })),
    ],
    oracle: [{ collection: 'activity', metric: 'steps', valueOf: (document) => document['steps'] }],
  };

  const polar: UnderTest = {
    provider: 'polar',
    swept: true,
    slots: [
      { collection: 'activities', id: day(8), variants: [{ steps: 3000 }, { steps: 3500 }, { steps: 2500 }] },
      {
        collection: 'exercises',
        id: 'ex1',
        variants: [
          { start_time: `${day(8)}T18:10:00`, calories: 300 },
          { start_time: `${day(8)}T18:10:00`, calories: 320 },
          { start_time: `${day(7)}T18:10:00`, calories: 320 },
        ],
      },
      { collection: 'sleep', id: day(8), variants: [{ rem_sleep: 6180 }, { rem_sleep: 6000 }] },
      { collection: 'nightly-recharge', id: day(8), variants: [{ heart_rate_variability_avg: 48 }, { heart_rate_variability_avg: 51 }] },
    ],
    stable: range(7).flatMap((n) => [
      { collection: 'activities', id: day(10 + n), variants: [{ steps: 6000 + n }] },
      { collection: 'sleep', id: day(10 + n), variants: [{}] },
    ]),
    oracle: [{ collection: 'activities', metric: 'steps', valueOf: (document) => document['steps'] }],
  };

  const googleNight = (ago: number, until: string) => ({
    interval: {
      startTime: `${day(ago + 1)}T21:10:30Z`,
      endTime: `${day(ago)}T${until}Z`,
      startUtcOffset: '7200s',
      endUtcOffset: '7200s',
    },
    type: 'STAGES',
    metadata: { nap: false, processed: true, stagesStatus: 'SUCCEEDED' },
  });
  const weight = (ago: number, grams: number) => ({
    sampleTime: { physicalTime: `${day(ago)}T06:30:00Z`, utcOffset: '7200s' },
    weightGrams: grams,
  });
  const google: UnderTest = {
    provider: 'google',
    swept: true,
    slots: [
      { collection: 'steps', id: day(8), variants: [{ countSum: '3000' }, { countSum: '3500' }, { countSum: '2500' }] },
      { collection: 'sleep', id: 'n1', variants: [googleNight(8, '04:41:30'), googleNight(8, '05:00:00')] },
      { collection: 'weight', id: 'w1', variants: [weight(8, 72_500), weight(8, 72_900)] },
      { collection: 'daily-resting-heart-rate', id: day(8), variants: [{ beatsPerMinute: '52' }, { beatsPerMinute: '54' }] },
    ],
    stable: range(7).flatMap((n) => [
      { collection: 'steps', id: day(10 + n), variants: [{ countSum: String(6000 + n) }] },
      { collection: 'weight', id: `still-${n}`, variants: [weight(10 + n, 71_000 + n * 100)] },
      { collection: 'daily-resting-heart-rate', id: day(10 + n), variants: [{ beatsPerMinute: '50' }] },
    ]),
    oracle: [{ collection: 'steps', metric: 'steps', valueOf: (document) => Number((document['steps'] as { countSum: string }).countSum) }],
  };

  const garminDay = (ago: number, durationInSeconds: number, steps: number) => ({
    calendarDate: day(ago),
    startTimeInSeconds: seconds(ago, '00:00:00'),
    startTimeOffsetInSeconds: 0,
    durationInSeconds,
    steps,
  });
  const garmin: UnderTest = {
    provider: 'garmin',
    swept: false,
    slots: [
      {
        collection: 'dailies',
        id: 'd-1',
        variants: [garminDay(8, 86_400, 3000), garminDay(8, 86_400, 3500), garminDay(8, 86_400, 2500)],
      },
      {
        collection: 'activities',
        id: '9001',
        variants: [1800, 2100].map((durationInSeconds) => ({
          activityType: 'RUNNING',
          startTimeInSeconds: seconds(8, '16:00:00'),
          startTimeOffsetInSeconds: 7200,
          durationInSeconds,
        })),
      },
    ],
    stable: range(6).map((n) => ({ collection: 'dailies', id: `still-${n}`, variants: [garminDay(10 + n, 86_400, 6000 + n)] })),
    oracle: [],
  };

  return [oura, whoop, strava, withings, polar, google, garmin];
}
