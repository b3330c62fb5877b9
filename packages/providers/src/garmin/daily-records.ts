import type {
  DailyMetric,
  DailyRecord,
  Dated,
  HealthRecord,
  Quantity,
  SeriesMetric,
  SeriesRecord,
  UnitFor,
  dailyMetrics,
} from '@tributary/domain';
import type { ReadAt } from '../date-fields.js';
import type { Document } from '../document-fields.js';
import { instantsSeries } from '../interval-series.js';
import { dailyValue } from '../quantities.js';
import { possibleSamples } from './day-series.js';
import { filed, readEpoch, readMeasured, readOffsets } from './summary-fields.js';

type UnitsOf<M extends DailyMetric> = UnitFor<(typeof dailyMetrics)[M]['unit']>;
type Reader = (summary: Document, dated: Dated, at: string) => DailyRecord[];

function field<M extends DailyMetric>(metric: M, name: string, unit: UnitsOf<M>): Reader {
  return (summary, dated, at) => {
    const value = readMeasured(summary, name, at);
    const quantity: Quantity<UnitsOf<M>> | null = value === null ? null : { value, unit };
    return dailyValue(metric, quantity, dated, `${at}${name}`);
  };
}

/** Not `averageHeartRateInBeatsPerMinute`: it is the mean of seven days. */
const ofDay: readonly Reader[] = [
  field('steps', 'steps', '{steps}'),
  field('distance', 'distanceInMeters', 'm'),
  field('active_energy', 'activeKilocalories', 'kcal'),
  field('basal_energy', 'bmrKilocalories', 'kcal'),
  field('floors_climbed', 'floorsClimbed', '{flight}'),
  field('active_duration', 'activeTimeInSeconds', 's'),
  field('moderate_activity_duration', 'moderateIntensityDurationInSeconds', 's'),
  field('vigorous_activity_duration', 'vigorousIntensityDurationInSeconds', 's'),
  field('resting_heart_rate', 'restingHeartRateInBeatsPerMinute', '/min'),
  field('heart_rate_min', 'minHeartRateInBeatsPerMinute', '/min'),
  field('heart_rate_max', 'maxHeartRateInBeatsPerMinute', '/min'),
  field('vendor.garmin.stress_avg', 'averageStressLevel', '{score}'),
  field('vendor.garmin.stress_max', 'maxStressLevel', '{score}'),
  field('vendor.garmin.body_battery_charged', 'bodyBatteryChargedValue', '{score}'),
  field('vendor.garmin.body_battery_drained', 'bodyBatteryDrainedValue', '{score}'),
];

/** No civil day is shorter: a summary of less is about a day that runs, or that the watch was last heard of in. */
const SHORTEST_DAY_S = 79_200;

/** A day as far as it has come; Garmin gives it no version, and the longer one is the later state of it. @param at path of the summary, ending in a dot. @throws Drift */
export function dailyRecords(summary: Document, at: string, read: ReadAt): HealthRecord[] {
  const ms = readEpoch(summary, 'startTimeInSeconds', at);
  const durationS = readMeasured(summary, 'durationInSeconds', at);
  const end = ms + (durationS ?? 0) * 1000;
  const says = durationS !== null && durationS < SHORTEST_DAY_S ? 'tentative' : undefined;
  const dated = filed(summary, {
    at,
    read,
    type: 'dailies',
    ms,
    coverageEnd: durationS === null ? undefined : end,
    standing: { providerSays: says, end },
  });
  // Its id ends in its length, and so is another one each time that the day has grown.
  const day = { ...dated, providerRecordId: `dailies/${dated.localDate}` };
  const [active, resting] = ['activeKilocalories', 'bmrKilocalories'].map((name) => readMeasured(summary, name, at));
  const total: Quantity<'kcal'> | null =
    typeof active === 'number' && typeof resting === 'number' ? { value: active + resting, unit: 'kcal' } : null;
  return [
    ...ofDay.flatMap((reader) => reader(summary, day, at)),
    ...dailyValue('total_energy', total, day, `${at}bmrKilocalories`),
    ...series('heart_rate', readOffsets(summary, 'timeOffsetHeartRateSamples', at), { dated: day, ms }),
  ];
}

/** @throws Drift */
export function hrvRecords(summary: Document, at: string, read: ReadAt): HealthRecord[] {
  const ms = readEpoch(summary, 'startTimeInSeconds', at);
  const dated = filed(summary, { at, read, type: 'hrv', ms });
  return [
    ...field('hrv_rmssd_night', 'lastNightAvg', 'ms')(summary, dated, at),
    ...series('hrv_rmssd', readOffsets(summary, 'hrvValues', at), { dated, ms }),
  ];
}

/** Undated but for its day. Of the two sports that it is worked out from, running goes first. @throws Drift */
export function userMetricRecords(summary: Document, at: string, read: ReadAt): HealthRecord[] {
  const dated = filed(summary, { at, read, type: 'userMetrics' });
  const day = { ...dated, providerRecordId: `userMetrics/${dated.localDate}` };
  const name = readMeasured(summary, 'vo2Max', at) === null ? 'vo2MaxCycling' : 'vo2Max';
  return field('vo2max_estimate', name, 'mL/min/kg')(summary, day, at);
}

/** A deviation may be below zero, and is no code then. @throws Drift */
export function skinTemperatureRecords(summary: Document, at: string, read: ReadAt): HealthRecord[] {
  const ms = readEpoch(summary, 'startTimeInSeconds', at);
  const dated = filed(summary, { at, read, type: 'skinTemp', ms });
  const value = summary['avgDeviationCelsius'];
  const quantity: Quantity<'Cel'> | null = typeof value === 'number' ? { value, unit: 'Cel' } : null;
  return dailyValue('skin_temperature_deviation', quantity, dated, `${at}avgDeviationCelsius`);
}

/** Samples that nobody can have are left out rather than losing their day. */
function series(
  metric: SeriesMetric,
  offsets: readonly (readonly [offsetS: number, value: number])[],
  { dated, ms }: { dated: Dated; ms: number },
): SeriesRecord[] {
  const samples = instantsSeries(possibleSamples(metric, offsets, ms), ms);
  return samples === undefined
    ? []
    : [{ ...dated, kind: 'series', metric, workoutId: undefined, providerRecordId: `${metric}/${dated.localDate}`, samples }];
}
