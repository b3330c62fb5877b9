import { z } from 'zod';

export const collectionNames = [
  'exercises',
  'activities',
  'sleep',
  'nightly-recharge',
  'continuous-heart-rate',
  'skin-temperature',
  'spo2',
  'physical-info',
] as const;
export type Collection = (typeof collectionNames)[number];

/** As Polar would answer it. */
export type PolarDocument = Readonly<Record<string, unknown>>;

/** `physical-info` is one document. */
export const PHYSICAL_INFO_ID = 'me';

const wallTime = z.iso.datetime({ local: true, error: 'expected a wall time, such as 2026-09-14T18:10:00' });
const offsetTime = z.iso.datetime({ offset: true });
const duration = z.string().regex(/^P/, 'expected an ISO 8601 duration');

interface Rules {
  readonly id: z.ZodType<string>;
  readonly shape: z.ZodType<Record<string, unknown>>;
  readonly defaults: (id: string, now: number) => PolarDocument;
}

const day = z.iso.date();

/** Whole documents; a caller gives the fields it cares about, and the constants below stand for the rest. */
const rules: Readonly<Record<Collection, Rules>> = {
  exercises: {
    id: z.string().regex(/^[A-Za-z0-9]{1,20}$/),
    shape: z.looseObject({ id: z.string(), start_time: wallTime, start_time_utc_offset: z.int(), duration, sport: z.string() }),
    defaults: (id, now) => ({
      id,
      upload_time: new Date(now).toISOString(),
      device: 'Polar Vantage M2',
      device_id: '1A2B3C4D',
      start_time: '2026-09-14T18:10:00',
      start_time_utc_offset: 120,
      duration: 'PT31M4S',
      calories: 318,
      distance: 5020,
      heart_rate: { average: 148, maximum: 171 },
      sport: 'RUNNING',
      detailed_sport_info: 'TRAIL_RUNNING',
      has_route: true,
      samples: [{ 'recording-rate': 5, 'sample-type': '0', data: '96,97,0,101,148' }],
      heart_rate_zones: [{ index: 1, 'lower-limit': 94, 'upper-limit': 112, 'in-zone': 'PT1M2S' }],
    }),
  },
  activities: {
    id: day,
    shape: z.looseObject({ start_time: wallTime, active_duration: duration, inactive_duration: duration }),
    defaults: (id) => ({
      start_time: `${id}T00:00:00`,
      end_time: `${id}T22:20:30`,
      active_duration: 'PT4H6M',
      inactive_duration: 'PT11H52M30S',
      calories: 2150,
      active_calories: 310,
      steps: 5000,
      distance_from_steps: 4200.5,
    }),
  },
  sleep: {
    id: day,
    shape: z.looseObject({ date: day, sleep_start_time: offsetTime, sleep_end_time: offsetTime }),
    defaults: (id) => ({
      date: id,
      sleep_start_time: `${dayBefore(id)}T23:10:30+02:00`,
      sleep_end_time: `${id}T06:41:30+02:00`,
      device_id: '1A2B3C4D',
      light_sleep: 14_040,
      deep_sleep: 4860,
      rem_sleep: 6180,
      unrecognized_sleep_stage: 0,
      sleep_score: 81,
      total_interruption_duration: 1980,
      hypnogram: { '23:19': 3, '23:46': 4, '00:26': 2, '05:11': 1, '06:33': 0 },
    }),
  },
  'nightly-recharge': {
    id: day,
    shape: z.looseObject({ date: day }),
    defaults: (id) => ({
      date: id,
      heart_rate_avg: 55,
      heart_rate_variability_avg: 48,
      breathing_rate_avg: 14.1,
      nightly_recharge_status: 5,
      ans_charge: 2.3,
    }),
  },
  'continuous-heart-rate': {
    id: day,
    shape: z.looseObject({ date: day, heart_rate_samples: z.array(z.looseObject({ heart_rate: z.int(), sample_time: z.string() })) }),
    defaults: (id) => ({
      date: id,
      heart_rate_samples: [
        { heart_rate: 56, sample_time: '00:02:10' },
        { heart_rate: 148, sample_time: '18:20:00' },
      ],
    }),
  },
  'skin-temperature': {
    id: day,
    shape: z.looseObject({ sleep_date: day, sleep_time_skin_temperature_celsius: z.number().nullable() }),
    defaults: (id) => ({ sleep_date: id, sleep_time_skin_temperature_celsius: 35.8, deviation_from_baseline_celsius: 0.3 }),
  },
  // By the day on which it was made.
  spo2: {
    id: day,
    shape: z.looseObject({ test_time: z.int(), time_zone_offset: z.int(), test_status: z.string() }),
    defaults: (id) => ({
      source_device_id: '1A2B3C4D',
      test_time: Date.parse(`${id}T10:00:00+02:00`) / 1000,
      time_zone_offset: 120,
      test_status: 'SPO2_TEST_PASSED',
      blood_oxygen_percent: 95,
      spo2_class: 'NORMAL',
    }),
  },
  'physical-info': {
    id: z.literal(PHYSICAL_INFO_ID),
    shape: z.looseObject({ modified: offsetTime, weight: z.number().optional(), height: z.number().optional() }),
    defaults: (_id, now) => ({
      weight: 72.5,
      height: 175,
      modified: new Date(now).toISOString(),
      vo2_max: 48,
      weight_source: 'SOURCE_MEASURED',
    }),
  },
};

/** Makes a whole document. @param now epoch milliseconds @throws z.ZodError when a field is not of Polar's shape, or the id is none. */
export function wholeDocument(collection: Collection, id: string, given: PolarDocument, now: number): PolarDocument {
  const { id: idShape, shape, defaults } = rules[collection];
  const whole = { ...defaults(idShape.parse(id), now), ...given };
  shape.parse(whole);
  return whole;
}

function dayBefore(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}
