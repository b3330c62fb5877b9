import type { Unit } from './quantity.js';

/** What is known of any number that is stored. */
export interface MetricFacts {
  readonly unit: Unit;
  /** Outside: kept and marked `implausible`. */
  readonly soft: readonly [number, number];
  /** Outside: refused as drift, the old value stays. */
  readonly hard: readonly [number, number];
  /** Decimal places that count as a change. */
  readonly decimals: number;
  readonly loinc: string | undefined;
}

export interface DailyFacts extends MetricFacts {
  /** A total only grows over its day; a summary is one number about the day or the night, whichever way it goes. */
  readonly kind: 'daily_total' | 'daily_summary';
  /** How one day's value comes from its parts. */
  readonly statistic: 'sum' | 'mean' | 'min' | 'max' | 'last';
}

/** The longest civil day: a change of the clock makes one of 25 hours. */
const DAY_S = 90_000;

const total = { kind: 'daily_total', statistic: 'sum' } as const;
const summary = { kind: 'daily_summary' } as const;
/** What a vendor made up by itself: never compared or merged over vendors. */
const score = { kind: 'daily_summary', statistic: 'last', unit: '{score}', loinc: undefined } as const;
const percentScore = { ...score, soft: [0, 100], hard: [0, 100], decimals: 0 } as const;

/**
 * Values of a civil day. Ranges and codes: contract §2.1. A source's daily total is never the sum of a series or of sessions that we
 * happen to hold; only the resolved view may show such a sum, and says so.
 */
export const dailyMetrics = {
  steps: { ...total, unit: '{steps}', soft: [0, 60_000], hard: [0, 200_000], decimals: 0, loinc: '41950-7' },
  distance: { ...total, unit: 'm', soft: [0, 80_000], hard: [0, 400_000], decimals: 1, loinc: '103208-5' },
  distance_cycling: { ...total, unit: 'm', soft: [0, 300_000], hard: [0, 1_000_000], decimals: 1, loinc: '93818-3' },
  distance_swimming: { ...total, unit: 'm', soft: [0, 15_000], hard: [0, 100_000], decimals: 1, loinc: '93816-7' },
  active_energy: { ...total, unit: 'kcal', soft: [0, 4_000], hard: [0, 15_000], decimals: 1, loinc: '93819-1' },
  basal_energy: { ...total, unit: 'kcal', soft: [800, 3_500], hard: [0, 6_000], decimals: 1, loinc: undefined },
  total_energy: { ...total, unit: 'kcal', soft: [1_000, 6_000], hard: [0, 20_000], decimals: 1, loinc: '41979-6' },
  floors_climbed: { ...total, unit: '{flight}', soft: [0, 150], hard: [0, 1_000], decimals: 1, loinc: '100304-5' },
  elevation_gain: { ...total, unit: 'm', soft: [0, 4_000], hard: [0, 15_000], decimals: 1, loinc: undefined },
  active_duration: { ...total, unit: 's', soft: [0, 57_600], hard: [0, DAY_S], decimals: 0, loinc: undefined },
  light_activity_duration: { ...total, unit: 's', soft: [0, 57_600], hard: [0, DAY_S], decimals: 0, loinc: undefined },
  moderate_activity_duration: { ...total, unit: 's', soft: [0, 28_800], hard: [0, DAY_S], decimals: 0, loinc: '77592-4' },
  vigorous_activity_duration: { ...total, unit: 's', soft: [0, 21_600], hard: [0, DAY_S], decimals: 0, loinc: '77593-2' },
  sedentary_duration: { ...total, unit: 's', soft: [0, 72_000], hard: [0, DAY_S], decimals: 0, loinc: undefined },
  sleep_duration: { ...total, unit: 's', soft: [10_800, 43_200], hard: [0, DAY_S], decimals: 0, loinc: '93832-4' },

  resting_heart_rate: { ...summary, statistic: 'last', unit: '/min', soft: [30, 110], hard: [20, 200], decimals: 1, loinc: '40443-4' },
  heart_rate_avg: { ...summary, statistic: 'mean', unit: '/min', soft: [40, 130], hard: [25, 230], decimals: 1, loinc: '8867-4' },
  heart_rate_min: { ...summary, statistic: 'min', unit: '/min', soft: [30, 90], hard: [20, 200], decimals: 1, loinc: '8867-4' },
  heart_rate_max: { ...summary, statistic: 'max', unit: '/min', soft: [70, 210], hard: [30, 250], decimals: 1, loinc: '8873-2' },
  hrv_rmssd_night: { ...summary, statistic: 'mean', unit: 'ms', soft: [8, 200], hard: [1, 400], decimals: 1, loinc: undefined },
  spo2_night_avg: { ...summary, statistic: 'mean', unit: '%', soft: [88, 100], hard: [50, 100], decimals: 1, loinc: '59408-5' },
  spo2_night_min: { ...summary, statistic: 'min', unit: '%', soft: [75, 100], hard: [40, 100], decimals: 1, loinc: '59408-5' },
  respiratory_rate_night: { ...summary, statistic: 'mean', unit: '/min', soft: [8, 25], hard: [3, 70], decimals: 1, loinc: '9279-1' },
  skin_temperature_night: { ...summary, statistic: 'mean', unit: 'Cel', soft: [30, 38], hard: [15, 45], decimals: 2, loinc: undefined },
  skin_temperature_deviation: { ...summary, statistic: 'mean', unit: 'K', soft: [-2, 2], hard: [-10, 10], decimals: 2, loinc: undefined },
  vo2max_estimate: { ...summary, statistic: 'last', unit: 'mL/min/kg', soft: [20, 75], hard: [10, 100], decimals: 1, loinc: undefined },

  'vendor.garmin.stress_avg': percentScore,
  'vendor.garmin.stress_max': percentScore,
  'vendor.garmin.body_battery_charged': percentScore,
  'vendor.garmin.body_battery_drained': percentScore,
  'vendor.garmin.sleep_score': percentScore,
  // Minutes, of which it is in dispute whether the harder ones were counted twice already: left as they come.
  'vendor.google.active_zone_minutes': { ...score, soft: [0, 1_440], hard: [0, 3_000], decimals: 0 },
  'vendor.oura.activity_score': percentScore,
  'vendor.oura.readiness_score': percentScore,
  'vendor.oura.sleep_score': percentScore,
  'vendor.polar.ans_charge': { ...score, soft: [-10, 10], hard: [-10, 10], decimals: 1 },
  'vendor.polar.nightly_recharge_status': { ...score, soft: [1, 6], hard: [0, 6], decimals: 0 },
  'vendor.polar.sleep_score': percentScore,
  'vendor.whoop.recovery_score': percentScore,
  'vendor.whoop.sleep_performance': percentScore,
  'vendor.whoop.strain': { ...score, soft: [0, 21], hard: [0, 21], decimals: 2 },
  'vendor.withings.sleep_score': percentScore,
} as const satisfies Record<string, DailyFacts>;

export type DailyMetric = keyof typeof dailyMetrics;

/** Single measurements, many of which a day may have. Blood pressure has parts. */
export const measurementMetrics = {
  body_weight: { unit: 'kg', soft: [35, 200], hard: [2, 500], decimals: 3, loinc: '29463-7' },
  body_fat_percentage: { unit: '%', soft: [4, 60], hard: [1, 80], decimals: 2, loinc: '41982-0' },
  lean_body_mass: { unit: 'kg', soft: [20, 120], hard: [1, 250], decimals: 3, loinc: '91557-9' },
  fat_mass: { unit: 'kg', soft: [2, 120], hard: [0, 300], decimals: 3, loinc: undefined },
  muscle_mass: { unit: 'kg', soft: [15, 100], hard: [1, 200], decimals: 3, loinc: undefined },
  bone_mass: { unit: 'kg', soft: [1, 6], hard: [0.3, 15], decimals: 3, loinc: undefined },
  body_water_mass: { unit: 'kg', soft: [15, 90], hard: [1, 200], decimals: 3, loinc: undefined },
  bmi: { unit: 'kg/m2', soft: [14, 50], hard: [7, 120], decimals: 2, loinc: '39156-5' },
  height: { unit: 'cm', soft: [120, 220], hard: [30, 272], decimals: 1, loinc: '8302-2' },
  blood_glucose: { unit: 'mg/dL', soft: [50, 300], hard: [10, 1_000], decimals: 1, loinc: '41653-7' },
  body_temperature: { unit: 'Cel', soft: [35, 40], hard: [25, 45], decimals: 2, loinc: '8310-5' },
  skin_temperature: { unit: 'Cel', soft: [25, 40], hard: [10, 45], decimals: 2, loinc: undefined },
  heart_rate: { unit: '/min', soft: [35, 210], hard: [20, 250], decimals: 1, loinc: '8867-4' },
  hrv_sdnn: { unit: 'ms', soft: [10, 250], hard: [1, 500], decimals: 1, loinc: '80404-7' },
  spo2: { unit: '%', soft: [85, 100], hard: [40, 100], decimals: 1, loinc: '59408-5' },
  hydration_intake: { unit: 'mL', soft: [0, 6_000], hard: [0, 20_000], decimals: 1, loinc: undefined },
} as const satisfies Record<string, MetricFacts>;

export type ValueMetric = keyof typeof measurementMetrics;

/** The panel is 85354-9. Never a mean of halves: a pressure is what one inflation showed. */
export const bloodPressureParts = {
  systolic: { unit: 'mm[Hg]', soft: [80, 200], hard: [40, 300], decimals: 0, loinc: '8480-6' },
  diastolic: { unit: 'mm[Hg]', soft: [40, 130], hard: [20, 200], decimals: 0, loinc: '8462-4' },
  pulse: { unit: '/min', soft: [35, 210], hard: [20, 250], decimals: 1, loinc: '8867-4' },
} as const satisfies Record<string, MetricFacts>;

export type MeasurementMetric = ValueMetric | 'blood_pressure';

/** Samples over a day. They never feed a source's daily total. */
export const seriesMetrics = {
  heart_rate: { unit: '/min', soft: [35, 210], hard: [20, 250], decimals: 1, loinc: '8867-4' },
  hrv_rmssd: { unit: 'ms', soft: [5, 250], hard: [1, 500], decimals: 1, loinc: undefined },
  spo2: { unit: '%', soft: [85, 100], hard: [40, 100], decimals: 1, loinc: '59408-5' },
  respiratory_rate: { unit: '/min', soft: [8, 30], hard: [3, 70], decimals: 1, loinc: '9279-1' },
  // Bounds for the longest interval in use, a quarter of an hour of 350 steps a minute.
  steps_intraday: { unit: '{steps}', soft: [0, 3_750], hard: [0, 5_250], decimals: 0, loinc: '55423-8' },
  blood_glucose: { unit: 'mg/dL', soft: [50, 300], hard: [10, 1_000], decimals: 1, loinc: '41653-7' },
  'vendor.garmin.stress': { unit: '{score}', soft: [0, 100], hard: [0, 100], decimals: 0, loinc: undefined },
  'vendor.garmin.body_battery': { unit: '{score}', soft: [0, 100], hard: [0, 100], decimals: 0, loinc: undefined },
} as const satisfies Record<string, MetricFacts>;

export type SeriesMetric = keyof typeof seriesMetrics;

/** Totals of which there are samples that add up to them: what somebody counted in each stretch of the day. */
export const seriesOfTotals: Partial<Readonly<Record<string, SeriesMetric>>> = { steps: 'steps_intraday' } satisfies Partial<
  Record<DailyMetric, SeriesMetric>
>;

/** The total that samples of this metric add up to; undefined: they add up to none. */
export function totalOfSeries(series: string): string | undefined {
  return Object.keys(seriesOfTotals).find((total) => seriesOfTotals[total] === series);
}
