import { type EventType, type Source, versionToText } from '@tributary/domain';
import { type EventData, dailyEventRecord, eventData, sleepEventRecord } from '@tributary/handoffs';
import type { HeldDaily, HeldSession, Revised, StoredDatum } from '@tributary/storage';
import type { DailyChange, SessionChange } from './plan-changes.js';

/** Whose change it is, as customers know the person. */
export interface EventSubject {
  readonly userId: string;
  readonly externalId: string;
  readonly connectionId: string;
  readonly provider: string;
}

export interface EventContent {
  readonly type: EventType;
  readonly revision: number;
  readonly data: Buffer;
}

export function dailyUpdated(subject: EventSubject, { change, row }: DailyChange, revision: number): EventContent {
  const data: EventData<'daily.updated'> = {
    ...dated(subject, row, revision),
    change,
    metric: row.metric,
    kind: 'daily_total',
    record: dailyEventRecord(row),
  };
  return { type: 'daily.updated', revision, data: eventData('daily.updated', data) };
}

export function sleepUpdated(subject: EventSubject, { change, row, previousLocalDate }: SessionChange, revision: number): EventContent {
  const data: EventData<'sleep.updated'> = {
    ...dated(subject, row, revision),
    change,
    metric: 'sleep_session',
    kind: 'session',
    recordId: row.recordId,
    previousLocalDate: previousLocalDate ?? null,
    window: { start: row.startedAt, end: row.endedAt },
    endUtcOffsetS: row.endUtcOffsetS ?? null,
    record: sleepEventRecord(row.detail),
  };
  return { type: 'sleep.updated', revision, data: eventData('sleep.updated', data) };
}

/** @param version of the read that showed that it is gone. */
export function recordDeleted(subject: EventSubject, row: Revised<HeldDaily | HeldSession>, version: number): EventContent {
  const data: EventData<'record.deleted'> = {
    user: { id: subject.userId, externalId: subject.externalId },
    connectionId: subject.connectionId,
    provider: subject.provider,
    metric: 'metric' in row ? row.metric : 'sleep_session',
    localDate: row.localDate,
    source: source(row.source),
    recordId: 'recordId' in row ? row.recordId : null,
    revision: row.revision,
    version: versionToText(version),
    inferred: true,
    reason: 'provider_deleted',
  };
  return { type: 'record.deleted', revision: row.revision, data: eventData('record.deleted', data) };
}

function dated({ userId, externalId, connectionId, provider }: EventSubject, row: StoredDatum, revision: number) {
  return {
    user: { id: userId, externalId },
    connectionId,
    provider,
    localDate: row.localDate,
    dateBasis: row.dateBasis,
    dayModel: row.dayModel,
    utcOffsetS: row.utcOffsetS ?? null,
    source: source(row.source),
    revision,
    version: versionToText(row.version),
    inferred: row.inferred,
    provisional: row.provisional,
  };
}

function source({ id, type, manufacturer, model }: Source) {
  return { id, type, manufacturer: manufacturer ?? null, model: model ?? null };
}
