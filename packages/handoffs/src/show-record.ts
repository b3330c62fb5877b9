import {
  type BloodPressure,
  type DailyMetric,
  type MeasurementMetric,
  type SeriesMetric,
  type SleepDetail,
  type Source,
  type WorkoutDetail,
  dailyMetrics,
  rangeOf,
  rangeOfSession,
  versionToText,
} from '@tributary/domain';
import { dailyEventRecord, measurementEventRecord, sleepEventRecord, workoutEventRecord } from './event-record.js';
import type { EventData } from './outbound-to-receiver.js';

/** A record as it is stored; in lists of the API and in events of the resolved view it has one form, made here. */
export interface StoredRecord {
  readonly connectionId: string;
  readonly provider: string;
  readonly localDate: string;
  readonly dateBasis: string;
  readonly dayModel: string;
  readonly utcOffsetS: number | null;
  readonly source: Source;
  readonly revision: number;
  /** Microseconds since the epoch. */
  readonly version: number;
  readonly inferred: boolean;
  readonly provisional: boolean;
}

export interface StoredDaily extends StoredRecord {
  readonly metric: string;
  readonly value: number;
  readonly implausible: boolean;
}

export interface StoredSession<Detail> extends StoredRecord {
  readonly recordId: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly endUtcOffsetS: number | null;
  readonly detail: Detail;
}

export interface StoredMeasurement extends StoredRecord {
  readonly metric: string;
  readonly recordId: string;
  readonly measuredAt: Date;
  readonly value: number | null;
  readonly parts: BloodPressure | null;
  readonly unit: string;
  readonly implausible: boolean;
  readonly manual: boolean;
  readonly ambiguous: boolean;
  readonly undated: boolean;
}

export interface StoredSeries extends StoredRecord {
  readonly metric: string;
  readonly workoutId: string | null;
  readonly samplesFrom: Date;
  readonly offsetsS: readonly number[];
  readonly values: readonly number[];
  readonly intervalS: number | null;
  readonly unit: string;
  readonly implausible: boolean;
}

type Shown<T extends 'daily.updated' | 'sleep.updated' | 'workout.updated' | 'measurement.updated' | 'series.updated'> = Omit<
  EventData<T>,
  'user' | 'change' | 'changeId' | 'supersedes' | 'previousLocalDate' | 'changedFrom' | 'changedTo' | 'links' | 'view' | 'resolution'
>;
type Dated = Omit<Shown<'daily.updated'>, 'metric' | 'kind' | 'record'>;

export function showDailyValue(row: StoredDaily): Shown<'daily.updated'> {
  const metric = row.metric as DailyMetric;
  return {
    ...dated(row),
    metric,
    kind: dailyMetrics[metric].kind,
    record: dailyEventRecord({ metric, value: row.value, implausible: row.implausible }),
  };
}

/** A total that was computed is judged by itself, and not by the row that lends it the rest. */
export function showResolvedDaily(
  row: StoredDaily & { readonly resolution: { readonly derivation?: 'computed' } },
): Shown<'daily.updated'> {
  if (row.resolution.derivation === undefined) return showDailyValue(row);
  return showDailyValue({ ...row, implausible: rangeOf(dailyMetrics[row.metric as DailyMetric], row.value) !== 'plausible' });
}

export function showSleepSession(row: StoredSession<SleepDetail>): Shown<'sleep.updated'> {
  return { ...session(row), metric: 'sleep_session', kind: 'session', record: sleepEventRecord(row.detail) };
}

export function showWorkout(row: StoredSession<WorkoutDetail>): Shown<'workout.updated'> {
  const shown = session(row);
  const implausible = rangeOfSession('workout', shown.window.start, shown.window.end) !== 'plausible';
  return { ...shown, metric: 'workout', kind: 'session', record: workoutEventRecord(row.detail, implausible) };
}

export function showMeasurement(row: StoredMeasurement): Shown<'measurement.updated'> {
  return {
    ...dated(row),
    metric: row.metric as MeasurementMetric,
    kind: 'measurement',
    recordId: row.recordId,
    measuredAt: row.measuredAt.toISOString(),
    record: measurementEventRecord(row),
  };
}

/** Without the samples, as events have it. */
export function showSeriesHead(row: StoredSeries): Shown<'series.updated'> {
  return {
    ...dated(row),
    metric: row.metric as SeriesMetric,
    kind: 'series',
    workoutId: row.workoutId,
    sampleCount: row.values.length,
  };
}

export function showSeries(row: StoredSeries) {
  return {
    ...showSeriesHead(row),
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

function session(row: StoredSession<unknown>) {
  return {
    ...dated(row),
    recordId: row.recordId,
    window: { start: row.startedAt.toISOString(), end: row.endedAt.toISOString() },
    endUtcOffsetS: row.endUtcOffsetS,
  };
}

function dated(row: StoredRecord): Dated {
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
export function showSource({ id, type, manufacturer, model }: Source): Dated['source'] {
  return { id, type, manufacturer: manufacturer ?? null, model: model ?? null };
}
