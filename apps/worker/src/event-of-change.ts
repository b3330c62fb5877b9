import { type DailyMetric, type Samples, type Source, changedSpan, dailyMetrics, rangeOfSession, versionToText } from '@tributary/domain';
import {
  type EventData,
  type EventSchemas,
  dailyEventRecord,
  eventData,
  measurementEventRecord,
  sleepEventRecord,
  workoutEventRecord,
} from '@tributary/handoffs';
import type {
  DailyRow,
  HeldRow,
  MeasurementRow,
  RecordRow,
  Revised,
  SeriesRow,
  SleepRow,
  StoredDatum,
  WorkoutRow,
} from '@tributary/storage';
import type { RowChange } from './plan-changes.js';

/** Whose change it is, as customers know the person. */
export interface EventSubject {
  readonly userId: string;
  readonly externalId: string;
  readonly connectionId: string;
  readonly provider: string;
}

export interface EventContent {
  readonly type: keyof EventSchemas;
  readonly revision: number;
  readonly data: Buffer;
}

type Revision<Row extends RecordRow> = RowChange<Row> & { readonly row: Revised<Row> };

/** @param before samples that the row held until now; undefined when there were none, or when it is no series. */
export function recordUpdated(
  subject: EventSubject,
  change: RowChange & { readonly row: Revised<RecordRow> },
  before: Samples | undefined,
): EventContent {
  const { row } = change;
  switch (row.table) {
    case 'daily_rollup':
      return content('daily.updated', dailyData(subject, { ...change, row }));
    case 'session_record':
      return row.kind === 'sleep'
        ? content('sleep.updated', sleepData(subject, { ...change, row }))
        : content('workout.updated', workoutData(subject, { ...change, row }));
    case 'measurement_record':
      return content('measurement.updated', measurementData(subject, { ...change, row }));
    case 'series_day':
      return content('series.updated', seriesData(subject, { ...change, row }, before));
  }
}

function dailyData(subject: EventSubject, { change, row }: Revision<DailyRow>): EventData<'daily.updated'> {
  const { metric } = row;
  return { ...dated(subject, row), change, metric, kind: dailyMetrics[metric].kind, record: dailyEventRecord(row) };
}

function sleepData(subject: EventSubject, { change, row, previousLocalDate }: Revision<SleepRow>): EventData<'sleep.updated'> {
  return {
    ...dated(subject, row),
    change,
    metric: 'sleep_session',
    kind: 'session',
    ...session(row, previousLocalDate),
    record: sleepEventRecord(row.detail),
  };
}

function workoutData(subject: EventSubject, { change, row, previousLocalDate }: Revision<WorkoutRow>): EventData<'workout.updated'> {
  return {
    ...dated(subject, row),
    change,
    metric: 'workout',
    kind: 'session',
    ...session(row, previousLocalDate),
    record: workoutEventRecord(row.detail, rangeOfSession('workout', row.startedAt, row.endedAt) !== 'plausible'),
  };
}

function session(row: SleepRow | WorkoutRow, previousLocalDate: string | undefined) {
  return {
    recordId: row.recordId,
    previousLocalDate: previousLocalDate ?? null,
    window: { start: row.startedAt, end: row.endedAt },
    endUtcOffsetS: row.endUtcOffsetS ?? null,
  };
}

function measurementData(
  subject: EventSubject,
  { change, row, previousLocalDate }: Revision<MeasurementRow>,
): EventData<'measurement.updated'> {
  return {
    ...dated(subject, row),
    change,
    metric: row.metric,
    kind: 'measurement',
    recordId: row.recordId,
    previousLocalDate: previousLocalDate ?? null,
    measuredAt: row.measuredAt,
    record: measurementEventRecord(row),
  };
}

/** Samples may be many and are of no use one by one: the event says where to look, and the API shows them. */
function seriesData(
  subject: EventSubject,
  { change, row, previousLocalDate }: Revision<SeriesRow>,
  before: Samples | undefined,
): EventData<'series.updated'> {
  const span = changedSpan(before, row.samples);
  return {
    ...dated(subject, row),
    change,
    metric: row.metric,
    kind: 'series',
    workoutId: row.workoutId ?? null,
    previousLocalDate: previousLocalDate ?? null,
    sampleCount: row.samples.values.length,
    changedFrom: span?.from ?? null,
    changedTo: span?.to ?? null,
  };
}

/** @param version of the read that showed that it is gone. */
export function recordDeleted(subject: EventSubject, row: Revised<HeldRow>, version: number): EventContent {
  return content('record.deleted', {
    user: { id: subject.userId, externalId: subject.externalId },
    connectionId: subject.connectionId,
    provider: subject.provider,
    ...namesOf(row),
    localDate: row.localDate,
    source: source(row.source),
    revision: row.revision,
    version: versionToText(version),
    inferred: true,
    reason: 'provider_deleted',
  });
}

function namesOf({
  table,
  metric = '',
  kind,
  recordId,
  item,
  localDate,
}: HeldRow): Pick<EventData<'record.deleted'>, 'metric' | 'kind' | 'recordId'> {
  switch (table) {
    case 'daily_rollup':
      return { metric, kind: dailyMetrics[metric as DailyMetric].kind, recordId: null };
    case 'session_record':
      return { metric: kind === 'workout' ? 'workout' : 'sleep_session', kind: 'session', recordId: recordId ?? null };
    case 'measurement_record':
      return { metric, kind: 'measurement', recordId: recordId ?? null };
    case 'series_day':
      return { metric, kind: 'series', recordId: item === undefined || item === localDate ? null : item };
  }
}

function content<T extends keyof EventSchemas>(type: T, data: EventData<T> & { readonly revision: number }): EventContent {
  return { type, revision: data.revision, data: eventData(type, data) };
}

function dated({ userId, externalId, connectionId, provider }: EventSubject, row: Revised<StoredDatum>) {
  return {
    user: { id: userId, externalId },
    connectionId,
    provider,
    localDate: row.localDate,
    dateBasis: row.dateBasis,
    dayModel: row.dayModel,
    utcOffsetS: row.utcOffsetS ?? null,
    source: source(row.source),
    revision: row.revision,
    version: versionToText(row.version),
    inferred: row.inferred,
    provisional: row.provisional,
  };
}

function source({ id, type, manufacturer, model }: Source) {
  return { id, type, manufacturer: manufacturer ?? null, model: model ?? null };
}
