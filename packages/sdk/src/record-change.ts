import { type DailyData, type SleepData, type VerifiedEvent, isEvent } from './events.js';

/**
 * What a value is a value of. A daily value is known by its day, a session by its id: the day of a session is an attribute that
 * may move, and a key with the day in it would keep the night twice.
 */
export interface RecordKey {
  readonly userId: string;
  readonly provider: string;
  readonly metric: string;
  readonly sourceId: string;
  /** The record id of a session, else the civil date. */
  readonly item: string;
}

/** What an event does to what you hold. */
export type RecordChange =
  | { readonly is: 'replace'; readonly key: RecordKey; readonly revision: number; readonly data: DailyData | SleepData }
  /** Leaves a mark with its revision, so that an older value which arrives later does not bring the record back. */
  | { readonly is: 'remove'; readonly key: RecordKey; readonly revision: number; readonly localDate: string }
  /** For good: no revision is high enough to bring an erased person back. */
  | { readonly is: 'erase'; readonly userId: string; readonly revision: number };

/** The whole rule of order: keep what is newer, drop the rest. Never compare timestamps, and never the order of arrival. */
export function isNewer(held: number | undefined, incoming: number): boolean {
  return held === undefined || incoming > held;
}

/** Undefined for events that carry no record. */
export function recordChangeOf(event: VerifiedEvent): RecordChange | undefined {
  if (isEvent(event, 'daily.updated')) {
    const { data } = event;
    return { is: 'replace', key: keyOf(data, data.localDate), revision: data.revision, data };
  }
  if (isEvent(event, 'sleep.updated')) {
    const { data } = event;
    return { is: 'replace', key: keyOf(data, data.recordId), revision: data.revision, data };
  }
  if (isEvent(event, 'record.deleted')) {
    const { data } = event;
    return { is: 'remove', key: keyOf(data, data.recordId ?? data.localDate), revision: data.revision, localDate: data.localDate };
  }
  if (isEvent(event, 'user.erased')) return { is: 'erase', userId: event.data.user.id, revision: event.data.revision };
  return undefined;
}

function keyOf(
  data: {
    readonly user: { readonly id: string };
    readonly provider: string;
    readonly metric: string;
    readonly source: { readonly id: string };
  },
  item: string,
): RecordKey {
  return { userId: data.user.id, provider: data.provider, metric: data.metric, sourceId: data.source.id, item };
}
