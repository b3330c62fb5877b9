import { z } from 'zod';

export const collectionNames = [
  'daily_activity',
  'sleep',
  'daily_sleep',
  'daily_readiness',
  'daily_spo2',
  'vo2_max',
  'workout',
  'heartrate',
] as const;
export type Collection = (typeof collectionNames)[number];

/** A document as Oura would answer it. */
export interface OuraDocument extends Readonly<Record<string, unknown>> {
  readonly id: string;
  /** `YYYY-MM-DD`, the person's local date. */
  readonly day: string;
}

interface CollectionRules {
  readonly scope: string;
  /** Where it is read, if not under its own name. */
  readonly path?: string;
  /** It has no address for each of its documents, and Oura tells nobody of them. `day` is then that of its time in UTC. */
  readonly samples?: true;
  /** Oura leaves the end day of activity out and takes that of the others in (seen in receivers' code, not in its manual). */
  readonly endDate: 'inside' | 'outside';
  readonly shape: z.ZodType<Record<string, unknown>>;
  readonly defaults: (day: string) => Record<string, unknown>;
}

const amount = z.number().nonnegative();
const orNull = amount.nullable();
const offsetTime = z.iso.datetime({ offset: true, error: 'expected a time with its offset, such as 2026-09-14T23:10:30+02:00' });

const score = z.int().min(0).max(100);

/** What Oura works out of a night is stamped in UTC, wherever the person is. */
const workedOut = (day: string) => ({ timestamp: `${day}T00:00:00+00:00` });

/** Whole documents; a caller gives the fields it cares about, and the constants below stand for the rest. */
export const collections: Readonly<Record<Collection, CollectionRules>> = {
  daily_activity: {
    scope: 'daily',
    endDate: 'outside',
    shape: z.looseObject({
      day: z.iso.date(),
      timestamp: offsetTime,
      steps: amount.int(),
      active_calories: amount.int(),
      total_calories: amount.int(),
      equivalent_walking_distance: amount.int(),
    }),
    defaults: (day) => ({
      class_5_min: '1112211111110000',
      score: 82,
      active_calories: 310,
      average_met_minutes: 1.46875,
      contributors: {
        meet_daily_targets: 78,
        move_every_hour: 95,
        recovery_time: 100,
        stay_active: 71,
        training_frequency: null,
        training_volume: 98,
      },
      equivalent_walking_distance: 4200,
      high_activity_met_minutes: 0,
      high_activity_time: 0,
      inactivity_alerts: 1,
      low_activity_met_minutes: 166,
      low_activity_time: 13_080,
      medium_activity_met_minutes: 61,
      medium_activity_time: 900,
      met: { interval: 60, items: [0.9, 0.9, 1.4, null, 2.1], timestamp: `${day}T04:00:00.000+00:00` },
      meters_to_target: 2100,
      non_wear_time: 0,
      resting_time: 27_120,
      sedentary_met_minutes: 9,
      sedentary_time: 43_440,
      steps: 5000,
      target_calories: 450,
      target_meters: 8000,
      total_calories: 2150,
      timestamp: `${day}T04:00:00+00:00`,
    }),
  },
  sleep: {
    scope: 'daily',
    endDate: 'inside',
    shape: z.looseObject({
      day: z.iso.date(),
      bedtime_start: offsetTime,
      bedtime_end: offsetTime,
      type: z.enum(['deleted', 'sleep', 'long_sleep', 'late_nap', 'rest']),
      time_in_bed: amount.int(),
      total_sleep_duration: orNull,
      awake_time: orNull,
      light_sleep_duration: orNull,
      deep_sleep_duration: orNull,
      rem_sleep_duration: orNull,
      latency: orNull,
      average_heart_rate: orNull,
      lowest_heart_rate: orNull,
      average_hrv: orNull,
      average_breath: orNull,
      sleep_phase_5_min: z
        .string()
        .regex(/^[1-4]*$/, 'expected the digits 1 to 4')
        .nullable(),
    }),
    // The phases add up to the durations: 16 deep, 47 light, 21 REM and 6 awake slots of five minutes.
    defaults: (day) => ({
      average_breath: 14.125,
      average_heart_rate: 54.375,
      average_hrv: 48,
      awake_time: 1800,
      bedtime_end: `${day}T06:40:30+00:00`,
      bedtime_start: `${dayBefore(day)}T23:10:30+00:00`,
      deep_sleep_duration: 4800,
      efficiency: 93,
      heart_rate: { interval: 300, items: [null, 61, null, 58, 55], timestamp: `${dayBefore(day)}T23:10:30.000+00:00` },
      hrv: { interval: 300, items: [null, 41, null, 52, 49], timestamp: `${dayBefore(day)}T23:10:30.000+00:00` },
      latency: 540,
      light_sleep_duration: 14_100,
      low_battery_alert: false,
      lowest_heart_rate: 49,
      movement_30_sec: '1121111',
      period: 0,
      readiness: null,
      readiness_score_delta: null,
      rem_sleep_duration: 6300,
      restless_periods: 142,
      sleep_phase_5_min: `444${`${'2'.repeat(11)}111133333`.repeat(4)}2223444`,
      sleep_score_delta: 0,
      sleep_algorithm_version: 'v2',
      time_in_bed: 27_000,
      total_sleep_duration: 25_200,
      type: 'long_sleep',
    }),
  },
  daily_sleep: {
    scope: 'daily',
    endDate: 'inside',
    shape: z.looseObject({ day: z.iso.date(), score: score.nullable() }),
    defaults: (day) => ({ ...workedOut(day), contributors: { deep_sleep: 91, timing: null }, score: 81 }),
  },
  daily_readiness: {
    scope: 'daily',
    endDate: 'inside',
    shape: z.looseObject({ day: z.iso.date(), score: score.nullable(), temperature_deviation: z.number().nullable() }),
    defaults: (day) => ({
      ...workedOut(day),
      contributors: { body_temperature: 97, hrv_balance: null },
      score: 84,
      temperature_deviation: -0.11,
      temperature_trend_deviation: 0.02,
    }),
  },
  daily_spo2: {
    scope: 'spo2Daily',
    endDate: 'inside',
    shape: z.looseObject({ day: z.iso.date(), spo2_percentage: z.object({ average: amount }).nullable() }),
    defaults: () => ({ breathing_disturbance_index: 4, spo2_percentage: { average: 97.4 } }),
  },
  vo2_max: {
    scope: 'daily',
    path: 'vO2_max',
    endDate: 'inside',
    shape: z.looseObject({ day: z.iso.date(), vo2_max: orNull }),
    defaults: (day) => ({ ...workedOut(day), vo2_max: 43 }),
  },
  heartrate: {
    scope: 'heartrate',
    endDate: 'inside',
    samples: true,
    shape: z.looseObject({
      timestamp: offsetTime,
      bpm: amount.int(),
      source: z.enum(['awake', 'rest', 'sleep', 'session', 'live', 'workout']),
    }),
    defaults: (day) => ({ bpm: 60, source: 'awake', timestamp: `${day}T12:00:00+00:00` }),
  },
  workout: {
    scope: 'workout',
    endDate: 'inside',
    shape: z.looseObject({
      day: z.iso.date(),
      activity: z.string().min(1),
      start_datetime: offsetTime,
      end_datetime: offsetTime,
      calories: orNull,
      distance: orNull,
      intensity: z.enum(['easy', 'moderate', 'hard']),
      source: z.enum(['manual', 'autodetected', 'confirmed', 'workout_heart_rate']),
    }),
    defaults: (day) => ({
      activity: 'running',
      calories: 318.4,
      distance: 5020,
      end_datetime: `${day}T18:41:04+00:00`,
      intensity: 'hard',
      label: null,
      source: 'confirmed',
      start_datetime: `${day}T18:10:00+00:00`,
    }),
  },
};

/**
 * Makes a whole document of the fields that a caller gave.
 * @throws z.ZodError when a field is not of Oura's shape, `day` is missing, or `id` contradicts the path.
 */
export function wholeDocument(collection: Collection, id: string, given: Readonly<Record<string, unknown>>): OuraDocument {
  const { shape, defaults } = collections[collection];
  const { day } = z
    .looseObject({ day: z.iso.date(), id: z.literal(id, { error: 'is not the id of the address' }).optional() })
    .parse(given);
  const whole = { ...defaults(day), ...given, id, day };
  shape.parse(whole);
  return whole;
}

export interface DayRange {
  readonly start: string;
  readonly end: string;
}

/** Where a page ended: the day and id of its last document. */
export type PageEnd = readonly [day: string, id: string];

/** One page by day and id. Pages go on from a key and not from a count, so a change between two pages repeats and skips nothing. */
export function pageOf(
  collection: Collection,
  all: Iterable<OuraDocument>,
  range: DayRange,
  page: { after: PageEnd | undefined; size: number },
) {
  const key = (d: OuraDocument): string => `${d.day} ${d.id}`;
  const after = page.after?.join(' ') ?? '';
  const inRange = [...all]
    .filter(
      (d) =>
        d.day >= range.start && (collections[collection].endDate === 'inside' ? d.day <= range.end : d.day < range.end) && key(d) > after,
    )
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const data = inRange.slice(0, page.size);
  const last = data.at(-1);
  const next: PageEnd | undefined = inRange.length > data.length && last !== undefined ? [last.day, last.id] : undefined;
  return { data, next };
}

/** One page of samples by their time, `start` inside and `end` outside; what they were put under is not shown. */
export function samplesOf(all: Iterable<OuraDocument>, range: DayRange, page: { after: PageEnd | undefined; size: number }) {
  const timeOf = (d: OuraDocument): string => new Date(String(d['timestamp'])).toISOString();
  const key = (d: OuraDocument): string => `${timeOf(d)} ${d.id}`;
  const after = page.after?.join(' ') ?? '';
  const [start, end] = [new Date(range.start).toISOString(), new Date(range.end).toISOString()];
  const inRange = [...all]
    .filter((d) => timeOf(d) >= start && timeOf(d) < end && key(d) > after)
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const shown = inRange.slice(0, page.size);
  const last = shown.at(-1);
  const next: PageEnd | undefined = inRange.length > shown.length && last !== undefined ? [timeOf(last), last.id] : undefined;
  return { data: shown.map(({ id: _id, day: _day, ...sample }) => sample), next };
}

/** `YYYY-MM-DD` of the day before. */
export function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}
