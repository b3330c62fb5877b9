import { type HeldState, type Samples, type Source, changedSpan, dailyMetrics, rangeOfSession, versionToText } from '@tributary/domain';
import {
  type EventData,
  type EventSchemas,
  dailyEventRecord,
  eventData,
  measurementEventRecord,
  sleepEventRecord,
  workoutEventRecord,
} from '@tributary/handoffs';
import type { DailyRow, MeasurementRow, RecordRow, SeriesRow, SleepRow, WorkoutRow } from '@tributary/storage';
import type { RowChange, RowRemoval } from './plan-changes.js';
import { nameOf, recordName } from './record-name.js';

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

/** A change with its number, and the id that it shares with the other half of a change of key. */
export type Numbered<T> = T & { readonly revision: number; readonly changeId: string | undefined };

type Revision<Row extends RecordRow> = Numbered<RowChange<Row>>;

/** @param before samples that the row held until now; undefined when there were none, or when it is no series. */
export function recordUpdated(subject: EventSubject, change: Revision<RecordRow>, before: Samples | undefined): EventContent {
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

function dailyData(subject: EventSubject, change: Revision<DailyRow>): EventData<'daily.updated'> {
  const { row } = change;
  const { metric } = row;
  return { ...dated(subject, change), metric, kind: dailyMetrics[metric].kind, record: dailyEventRecord(row) };
}

function sleepData(subject: EventSubject, change: Revision<SleepRow>): EventData<'sleep.updated'> {
  const { row, previousLocalDate } = change;
  return {
    ...dated(subject, change),
    metric: 'sleep_session',
    kind: 'session',
    ...session(row, previousLocalDate),
    record: sleepEventRecord(row.detail),
  };
}

function workoutData(subject: EventSubject, change: Revision<WorkoutRow>): EventData<'workout.updated'> {
  const { row, previousLocalDate } = change;
  return {
    ...dated(subject, change),
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

function measurementData(subject: EventSubject, change: Revision<MeasurementRow>): EventData<'measurement.updated'> {
  const { row, previousLocalDate } = change;
  return {
    ...dated(subject, change),
    metric: row.metric,
    kind: 'measurement',
    recordId: row.recordId,
    previousLocalDate: previousLocalDate ?? null,
    measuredAt: row.measuredAt,
    record: measurementEventRecord(row),
  };
}

/** Samples may be many and are of no use one by one: the event says where to look, and the API shows them. */
function seriesData(subject: EventSubject, change: Revision<SeriesRow>, before: Samples | undefined): EventData<'series.updated'> {
  const { row, previousLocalDate } = change;
  const span = changedSpan(before, row.samples);
  return {
    ...dated(subject, change),
    metric: row.metric,
    kind: 'series',
    workoutId: row.workoutId ?? null,
    previousLocalDate: previousLocalDate ?? null,
    sampleCount: row.samples.values.length,
    changedFrom: span?.from ?? null,
    changedTo: span?.to ?? null,
  };
}

export function recordDeleted(subject: EventSubject, row: Numbered<RowRemoval>, of: Source): EventContent {
  return content('record.deleted', {
    user: { id: subject.userId, externalId: subject.externalId },
    connectionId: subject.connectionId,
    provider: subject.provider,
    ...nameOf(row),
    localDate: row.localDate,
    source: source(of),
    ...numbered(row),
    reason: row.reason,
    ...(row.supersededBy !== undefined && { supersededBy: recordName(row.supersededBy) }),
  });
}

function content<T extends keyof EventSchemas>(type: T, data: EventData<T> & { readonly revision: number }): EventContent {
  return { type, revision: data.revision, data: eventData(type, data) };
}

function dated({ userId, externalId, connectionId, provider }: EventSubject, revision: Revision<RecordRow>) {
  const { row, state, change, supersedes } = revision;
  return {
    user: { id: userId, externalId },
    connectionId,
    provider,
    localDate: row.localDate,
    dateBasis: row.dateBasis,
    dayModel: row.dayModel,
    utcOffsetS: row.utcOffsetS ?? null,
    source: source(row.source),
    ...numbered(revision),
    // What is still to be settled may change as a day that still runs.
    provisional: row.provisional || state.unsettled,
    change,
    ...(supersedes !== undefined && { supersedes: recordName(supersedes) }),
  };
}

function numbered({ revision, state, changeId }: Numbered<{ readonly state: HeldState }>) {
  const { version, inferred } = state;
  return { revision, version: versionToText(version), inferred, ...(changeId !== undefined && { changeId }) };
}

function source({ id, type, manufacturer, model }: Source) {
  return { id, type, manufacturer: manufacturer ?? null, model: model ?? null };
}
