import {
  type DailyMetric,
  type MeasurementMetric,
  type SeriesMetric,
  type Source,
  dailyMetrics,
  rangeOf,
  rangeOfSession,
  versionToText,
} from '@tributary/domain';
import { type EventData, dailyEventRecord, measurementEventRecord, sleepEventRecord, workoutEventRecord } from '@tributary/handoffs';
import type {
  DailyValueRow,
  MeasurementShown,
  Resolved,
  SeriesShown,
  SessionShown,
  ShownDatum,
  SleepShown,
  WorkoutShown,
} from '@tributary/storage';
import type { z } from 'zod';
import type { dailyValue, measurement, series, sleepSession, workout } from './record.js';

type Dated = Pick<
  EventData<'daily.updated'>,
  | 'connectionId'
  | 'provider'
  | 'localDate'
  | 'dateBasis'
  | 'dayModel'
  | 'utcOffsetS'
  | 'source'
  | 'revision'
  | 'version'
  | 'inferred'
  | 'provisional'
>;

export function showDailyValue(row: DailyValueRow): z.infer<typeof dailyValue> {
  const metric = row.metric as DailyMetric;
  return {
    ...dated(row),
    metric,
    kind: dailyMetrics[metric].kind,
    record: dailyEventRecord({ metric, value: row.value, implausible: row.implausible }),
  };
}

/** A total that was computed is judged by itself, and not by the row that lends it the rest. */
export function showResolvedDaily(row: Resolved<DailyValueRow>): z.infer<typeof dailyValue> {
  if (row.resolution.derivation === undefined) return showDailyValue(row);
  return showDailyValue({ ...row, implausible: rangeOf(dailyMetrics[row.metric as DailyMetric], row.value) !== 'plausible' });
}

export function showSleepSession(row: SleepShown): z.infer<typeof sleepSession> {
  return { ...session(row), metric: 'sleep_session', kind: 'session', record: sleepEventRecord(row.detail) };
}

export function showWorkout(row: WorkoutShown): z.infer<typeof workout> {
  const shown = session(row);
  const implausible = rangeOfSession('workout', shown.window.start, shown.window.end) !== 'plausible';
  return { ...shown, metric: 'workout', kind: 'session', record: workoutEventRecord(row.detail, implausible) };
}

export function showMeasurement(row: MeasurementShown): z.infer<typeof measurement> {
  return {
    ...dated(row),
    metric: row.metric as MeasurementMetric,
    kind: 'measurement',
    recordId: row.recordId,
    measuredAt: row.measuredAt.toISOString(),
    record: measurementEventRecord(row),
  };
}

export function showSeries(row: SeriesShown): z.infer<typeof series> {
  return {
    ...dated(row),
    metric: row.metric as SeriesMetric,
    kind: 'series',
    workoutId: row.workoutId,
    sampleCount: row.values.length,
    record: {
      unit: row.unit,
      from: row.samplesFrom.toISOString(),
      offsetsS: [...row.offsetsS],
      values: [...row.values],
      intervalS: row.intervalS,
      implausible: row.implausible,
    },
  };
}

function session(row: SessionShown<unknown>) {
  return {
    ...dated(row),
    recordId: row.recordId,
    window: { start: row.startedAt.toISOString(), end: row.endedAt.toISOString() },
    endUtcOffsetS: row.endUtcOffsetS,
  };
}

function dated(row: ShownDatum): Dated {
  return {
    connectionId: row.connectionId,
    provider: row.provider,
    localDate: row.localDate,
    dateBasis: row.dateBasis as Dated['dateBasis'],
    dayModel: row.dayModel as Dated['dayModel'],
    utcOffsetS: row.utcOffsetS,
    source: showSource(row.source),
    revision: row.revision,
    version: versionToText(row.version),
    inferred: row.inferred,
    provisional: row.provisional,
  };
}

/** JSON keeps no undefined: what the provider did not say is null on the wire. */
function showSource({ id, type, manufacturer, model }: Source): Dated['source'] {
  return { id, type, manufacturer: manufacturer ?? null, model: model ?? null };
}
