import { z } from 'zod';

export const collectionNames = ['cycle', 'sleep', 'recovery', 'workout', 'body'] as const;
export type Collection = (typeof collectionNames)[number];
export type WhoopDocument = Readonly<Record<string, unknown>>;

export const scopeOf: Readonly<Record<Collection, string>> = {
  cycle: 'read:cycles',
  sleep: 'read:sleep',
  recovery: 'read:recovery',
  workout: 'read:workout',
  body: 'read:body_measurement',
};

const instant = z.iso.datetime({ offset: true });
const states = z.enum(['PENDING_SCORE', 'SCORED', 'UNSCORABLE']);
const amount = z.number().nonnegative();
const uuid = z.uuid();
const cycleId = z.int().positive();

const record = {
  created_at: instant,
  updated_at: instant,
  score_state: states,
};
const span = {
  ...record,
  start: instant,
  end: instant,
  timezone_offset: z.string().regex(/^([+-]\d{2}:?\d{2}|Z)$/, 'expected +hh:mm, -hhmm or Z'),
};

const shapes: Readonly<Record<Collection, z.ZodType>> = {
  cycle: z.looseObject({ ...span, id: cycleId, end: instant.nullable() }),
  sleep: z.looseObject({ ...span, id: uuid, cycle_id: cycleId, nap: z.boolean() }),
  recovery: z.looseObject({ ...record, sleep_id: uuid, cycle_id: cycleId }),
  workout: z.looseObject({ ...span, id: uuid, sport_name: z.string().min(1) }),
  body: z.looseObject({ height_meter: amount, weight_kilogram: amount, max_heart_rate: amount.int() }),
};

/** A caller gives the fields it cares about, and these stand for the rest. */
const defaults: Readonly<Record<Collection, WhoopDocument>> = {
  cycle: { timezone_offset: '+00:00', end: null },
  sleep: { timezone_offset: '+00:00', nap: false, v1_id: null },
  recovery: {},
  workout: { timezone_offset: '+00:00', sport_id: 0, sport_name: 'running', v1_id: null },
  body: { height_meter: 1.75, weight_kilogram: 72.5, max_heart_rate: 188 },
};

const scores: Readonly<Record<Collection, WhoopDocument | undefined>> = {
  cycle: { strain: 12.4417, kilojoule: 10_042.11, average_heart_rate: 68, max_heart_rate: 171 },
  sleep: {
    stage_summary: {
      total_in_bed_time_milli: 27_060_000,
      total_awake_time_milli: 1_980_000,
      total_no_data_time_milli: 0,
      total_light_sleep_time_milli: 14_040_000,
      total_slow_wave_sleep_time_milli: 4_860_000,
      total_rem_sleep_time_milli: 6_180_000,
      sleep_cycle_count: 4,
      disturbance_count: 7,
    },
    respiratory_rate: 14.12,
    sleep_performance_percentage: 90,
    sleep_consistency_percentage: 71,
    sleep_efficiency_percentage: 92.68,
  },
  recovery: {
    user_calibrating: false,
    recovery_score: 64,
    resting_heart_rate: 52,
    hrv_rmssd_milli: 47.2066,
    spo2_percentage: 96.125,
    skin_temp_celsius: 34.1,
  },
  workout: {
    strain: 10.2463,
    average_heart_rate: 148,
    max_heart_rate: 171,
    kilojoule: 1330.5,
    percent_recorded: 100,
    distance_meter: 5020.4,
    altitude_gain_meter: 21.3,
    altitude_change_meter: -0.4,
    zone_durations: {
      zone_zero_milli: 0,
      zone_one_milli: 60_000,
      zone_two_milli: 180_000,
      zone_three_milli: 900_000,
      zone_four_milli: 660_000,
      zone_five_milli: 64_000,
    },
  },
  body: undefined,
};

export interface Origin {
  readonly collection: Collection;
  readonly id: string;
  readonly subjectId: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Makes a whole document of the fields that a caller gave. `updated_at` is now unless given, and `score` is there when the state is
 * `SCORED`, which it is unless given.
 * @throws z.ZodError when a field is not of WHOOP's shape.
 */
export function wholeDocument({ collection, id, subjectId, now }: Origin, given: WhoopDocument): WhoopDocument {
  if (collection === 'body') return checked(collection, { ...defaults.body, ...given });
  const named = collection === 'recovery' ? { sleep_id: id } : { id: collection === 'cycle' ? Number(id) : id };
  const time = new Date(now).toISOString();
  const state = given['score_state'] ?? 'SCORED';
  const score = state === 'SCORED' ? { score: { ...scores[collection], ...(given['score'] as object | undefined) } } : {};
  return checked(collection, {
    user_id: Number(subjectId),
    created_at: time,
    updated_at: time,
    ...defaults[collection],
    ...given,
    ...named,
    score_state: state,
    ...score,
  });
}

function checked(collection: Collection, document: WhoopDocument): WhoopDocument {
  shapes[collection].parse(document);
  return document;
}

/** Where a document stands in its list, which is newest first. */
export function startOf(document: WhoopDocument): string {
  return new Date(String(document['start'] ?? document['created_at'])).toISOString();
}
