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

/** The number of a change, and the id that it shares with the other half of a change of key. */
export interface ChangeNumber {
  readonly revision: number;
  readonly changeId: string | undefined;
}

/** One change, as its event tells it. */
interface Told<Row extends RecordRow = RecordRow> {
  readonly subject: EventSubject;
  readonly row: Row;
  readonly change: RowChange & ChangeNumber;
}

/** @param before samples that the row held until now; undefined when there were none, or when it is no series. */
export function recordUpdated(subject: EventSubject, change: RowChange & ChangeNumber, before: Samples | undefined): EventContent {
  const { row } = change;
  switch (row.table) {
    case 'daily_rollup':
      return content('daily.updated', dailyData({ subject, row, change }));
    case 'session_record':
      return row.kind === 'sleep'
        ? content('sleep.updated', sleepData({ subject, row, change }))
        : content('workout.updated', workoutData({ subject, row, change }));
    case 'measurement_record':
      return content('measurement.updated', measurementData({ subject, row, change }));
    case 'series_day':
      return content('series.updated', seriesData({ subject, row, change }, before));
  }
}

function dailyData(told: Told<DailyRow>): EventData<'daily.updated'> {
  const { row } = told;
  const { metric } = row;
  return { ...dated(told), metric, kind: dailyMetrics[metric].kind, record: dailyEventRecord(row) };
}

function sleepData(told: Told<SleepRow>): EventData<'sleep.updated'> {
  const { row } = told;
  const { previousLocalDate } = told.change;
  return {
    ...dated(told),
    metric: 'sleep_session',
    kind: 'session',
    ...session(row, previousLocalDate),
    record: sleepEventRecord(row.detail),
  };
}

function workoutData(told: Told<WorkoutRow>): EventData<'workout.updated'> {
  const { row } = told;
  const { previousLocalDate } = told.change;
  return {
    ...dated(told),
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

function measurementData(told: Told<MeasurementRow>): EventData<'measurement.updated'> {
  const { row } = told;
  const { previousLocalDate } = told.change;
  return {
    ...dated(told),
    metric: row.metric,
    kind: 'measurement',
    recordId: row.recordId,
    previousLocalDate: previousLocalDate ?? null,
    measuredAt: row.measuredAt,
    record: measurementEventRecord(row),
  };
}

/** Samples may be many and are of no use one by one: the event says where to look, and the API shows them. */
function seriesData(told: Told<SeriesRow>, before: Samples | undefined): EventData<'series.updated'> {
  const { row } = told;
  const { previousLocalDate } = told.change;
  const span = changedSpan(before, row.samples);
  return {
    ...dated(told),
    metric: row.metric,
    kind: 'series',
    workoutId: row.workoutId ?? null,
    previousLocalDate: previousLocalDate ?? null,
    sampleCount: row.samples.values.length,
    changedFrom: span?.from ?? null,
    changedTo: span?.to ?? null,
  };
}

export function recordDeleted(subject: EventSubject, row: RowRemoval, number: ChangeNumber, of: Source): EventContent {
  return content('record.deleted', {
    user: { id: subject.userId, externalId: subject.externalId },
    connectionId: subject.connectionId,
    provider: subject.provider,
    ...nameOf(row),
    localDate: row.localDate,
    source: source(of),
    ...numbered(row.state, number),
    reason: row.reason,
    ...(row.supersededBy !== undefined && { supersededBy: recordName(row.supersededBy) }),
  });
}

function content<T extends keyof EventSchemas>(type: T, data: EventData<T> & { readonly revision: number }): EventContent {
  return { type, revision: data.revision, data: eventData(type, data) };
}

function dated({ subject, row, change: numbering }: Told) {
  const { state, change, supersedes } = numbering;
  const { userId, externalId, connectionId, provider } = subject;
  return {
    user: { id: userId, externalId },
    connectionId,
    provider,
    localDate: row.localDate,
    dateBasis: row.dateBasis,
    dayModel: row.dayModel,
    utcOffsetS: row.utcOffsetS ?? null,
    source: source(row.source),
    ...numbered(state, numbering),
    // What is still to be settled may change as a day that still runs.
    provisional: row.provisional || state.unsettled,
    change,
    ...(supersedes !== undefined && { supersedes: recordName(supersedes) }),
  };
}

function numbered({ version, inferred }: HeldState, { revision, changeId }: ChangeNumber) {
  return { revision, version: versionToText(version), inferred, ...(changeId !== undefined && { changeId }) };
}

function source({ id, type, manufacturer, model }: Source) {
  return { id, type, manufacturer: manufacturer ?? null, model: model ?? null };
}
