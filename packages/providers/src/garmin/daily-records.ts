import {
  type DailyMetric,
  type DailyRecord,
  type Dated,
  type HealthRecord,
  type Quantity,
  type SeriesMetric,
  type SeriesRecord,
  type UnitFor,
  canonical,
  closesAt,
  type dailyMetrics,
  rangeOf,
  seriesMetrics,
} from '@tributary/domain';
import type { Document } from '../document-fields.js';
import { dailyValue } from '../quantities.js';
import { dateOf, readEpoch, readMeasured, readOffset, readOffsets, readSummaryId, sourceOf } from './summary-fields.js';

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

/** A day as far as it has come. @param at path of the summary, ending in a dot. @param now epoch milliseconds. @throws Drift */
export function dailyRecords(summary: Document, at: string, now: number): HealthRecord[] {
  const ms = readEpoch(summary, 'startTimeInSeconds', at);
  const dated = filed(summary, { ms, at, now });
  // Its id ends in its length, and so is another one each time that the day has grown.
  const day = { ...dated, providerRecordId: `dailies/${dated.localDate}` };
  const [active, resting] = ['activeKilocalories', 'bmrKilocalories'].map((name) => readMeasured(summary, name, at));
  const total: Quantity<'kcal'> | null =
    typeof active === 'number' && typeof resting === 'number' ? { value: active + resting, unit: 'kcal' } : null;
  return [
    ...ofDay.flatMap((read) => read(summary, day, at)),
    ...dailyValue('total_energy', total, day, `${at}bmrKilocalories`),
    ...series('heart_rate', readOffsets(summary, 'timeOffsetHeartRateSamples', at), { dated: day, ms }),
  ];
}

/** @throws Drift */
export function hrvRecords(summary: Document, at: string, now: number): HealthRecord[] {
  const ms = readEpoch(summary, 'startTimeInSeconds', at);
  const dated = { ...filed(summary, { ms, at, now }), dayModel: 'night' } as const;
  return [
    ...field('hrv_rmssd_night', 'lastNightAvg', 'ms')(summary, dated, at),
    ...series('hrv_rmssd', readOffsets(summary, 'hrvValues', at), { dated, ms }),
  ];
}

/** Undated but for its day. @throws Drift */
export function userMetricRecords(summary: Document, at: string, now: number): HealthRecord[] {
  const dated = filed(summary, { ms: undefined, at, now });
  return field('vo2max_estimate', 'vo2Max', 'mL/min/kg')(summary, { ...dated, providerRecordId: `userMetrics/${dated.localDate}` }, at);
}

/** A deviation may be below zero, and is no code then. @throws Drift */
export function skinTemperatureRecords(summary: Document, at: string, now: number): HealthRecord[] {
  const ms = readEpoch(summary, 'startTimeInSeconds', at);
  const dated = { ...filed(summary, { ms, at, now }), dayModel: 'night' } as const;
  const value = summary['avgDeviationCelsius'];
  const quantity: Quantity<'Cel'> | null = typeof value === 'number' ? { value, unit: 'Cel' } : null;
  return dailyValue('skin_temperature_deviation', quantity, dated, `${at}avgDeviationCelsius`);
}

/** The continuous readings of a day. Those on demand are summaries of their own, and would take their place. @throws Drift */
export function pulseOxRecords(summary: Document, at: string, now: number): HealthRecord[] {
  const ms = readEpoch(summary, 'startTimeInSeconds', at);
  const dated = filed(summary, { ms, at, now });
  const samples = readOffsets(summary, 'timeOffsetSpo2Values', at);
  if (summary['onDemand'] !== true) return series('spo2', samples, { dated, ms });
  return samples.map(([offsetS, value]): HealthRecord => {
    const instant = new Date(ms + offsetS * 1000).toISOString();
    return { ...dated, kind: 'measurement', metric: 'spo2', value, recordId: `spo2/${instant}`, instant, manual: false, ambiguous: false };
  });
}

function filed(summary: Document, { ms, at, now }: { ms: number | undefined; at: string; now: number }): Dated {
  const offsetS = readOffset(summary, 'startTimeOffsetInSeconds', at);
  const { localDate, dateBasis } = dateOf(summary, { ms, offsetS }, at);
  return {
    providerRecordId: readSummaryId(summary, at),
    source: sourceOf(summary, at),
    localDate,
    dateBasis,
    dayModel: 'civil',
    utcOffsetS: offsetS,
    provisional: dateBasis === 'utc_assumed' || now < closesAt(localDate, offsetS, 0),
    version: undefined,
  };
}

/** Samples that nobody can have are left out rather than losing their day. */
function series(
  metric: SeriesMetric,
  samples: readonly (readonly [offsetS: number, value: number])[],
  { dated, ms }: { dated: Dated; ms: number },
): SeriesRecord[] {
  const facts = seriesMetrics[metric];
  const kept = samples
    .map(
      ([offsetS, value]) =>
        [offsetS, canonical({ unit: facts.unit, decimals: facts.decimals }, { value, unit: facts.unit } as never)] as const,
    )
    .filter(([, value]) => rangeOf(facts, value) !== 'impossible');
  if (kept.length === 0) return [];
  return [
    {
      ...dated,
      kind: 'series',
      metric,
      workoutId: undefined,
      providerRecordId: `${metric}/${dated.localDate}`,
      samples: {
        from: new Date(Math.floor(ms / 1000) * 1000).toISOString(),
        offsetsS: kept.map(([offsetS]) => offsetS),
        values: kept.map(([, value]) => value),
        intervalS: undefined,
      },
    },
  ];
}
