import { type Samples, type Source, changedSpan, dailyMetrics, rangeOfSession, versionToText } from '@tributary/domain';
import {
  type EventData,
  type EventSchemas,
  dailyEventRecord,
  eventData,
  linksOf,
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
  readonly provider: string;
  readonly metric: string;
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

/** Of these there are more than of all others together, and a spread of so many properties costs as much as the rest of a record. */
function dailyData(told: Told<DailyRow>): EventData<'daily.updated'> {
  const { row } = told;
  const data = dated(told) as EventData<'daily.updated'>;
  data.metric = row.metric;
  data.kind = dailyMetrics[row.metric].kind;
  data.record = dailyEventRecord(row);
  return data;
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
  const data: EventData<'series.updated'> = {
    ...dated(told),
    metric: row.metric,
    kind: 'series',
    workoutId: row.workoutId ?? null,
    previousLocalDate: previousLocalDate ?? null,
    sampleCount: row.samples.values.length,
    changedFrom: span?.from ?? null,
    changedTo: span?.to ?? null,
  };
  data.links = linksOf(data);
  return data;
}

export function recordDeleted(subject: EventSubject, row: RowRemoval, number: ChangeNumber, of: Source): EventContent {
  return content('record.deleted', {
    user: { id: subject.userId, externalId: subject.externalId },
    connectionId: subject.connectionId,
    provider: subject.provider,
    ...nameOf(row),
    localDate: row.localDate,
    source: source(of),
    revision: number.revision,
    version: textOf(row.state.version),
    inferred: row.state.inferred,
    ...(number.changeId !== undefined && { changeId: number.changeId }),
    reason: row.reason,
    ...(row.supersededBy !== undefined && { supersededBy: recordName(row.supersededBy) }),
  });
}

function content<T extends RecordEvent>(type: T, data: EventData<T>): EventContent {
  const { revision, provider, metric } = data as Filtered;
  return { type, revision, provider, metric, data: eventData(type, data) };
}

type RecordEvent = 'daily.updated' | 'sleep.updated' | 'workout.updated' | 'measurement.updated' | 'series.updated' | 'record.deleted';
type Filtered = Pick<EventData<'record.deleted'>, 'revision' | 'provider' | 'metric'>;

/** One object of one shape, and what hardly any event has put on afterwards: spread into each other they cost as much as all the rest. */
function dated({ subject, row, change: { state, change, supersedes, revision, changeId } }: Told): Dated {
  const { userId, externalId, connectionId, provider } = subject;
  const data: Dated = {
    user: { id: userId, externalId },
    connectionId,
    provider,
    localDate: row.localDate,
    dateBasis: row.dateBasis,
    dayModel: row.dayModel,
    utcOffsetS: row.utcOffsetS ?? null,
    source: source(row.source),
    revision,
    version: textOf(state.version),
    inferred: state.inferred,
    // What is still to be settled may change as a day that still runs.
    provisional: row.provisional || state.unsettled,
    change,
  };
  if (changeId !== undefined) data.changeId = changeId;
  if (supersedes !== undefined) data.supersedes = recordName(supersedes);
  return data;
}

/** What events of all kinds of records have. */
type Dated = Omit<EventData<'daily.updated'>, 'metric' | 'kind' | 'record'>;

let last = { version: Number.NaN, text: '' };

/** Records of one read have one version, unless the provider gives them theirs. */
function textOf(version: number): string {
  if (version !== last.version) last = { version, text: versionToText(version) };
  return last.text;
}

function source({ id, type, manufacturer, model }: Source) {
  return { id, type, manufacturer: manufacturer ?? null, model: model ?? null };
}
