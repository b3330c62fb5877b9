import { type RecordData, type VerifiedEvent } from './events.js';

/**
 * What a value is a value of. A daily value is known by its day, a session or measurement by its id: its day is an attribute that
 * may move, and a key with the day in it would keep the night twice.
 */
export interface RecordKey {
  readonly userId: string;
  /** Of the resolved view `view:resolved`: another provider may stand for the day tomorrow. */
  readonly provider: string;
  readonly metric: string;
  /** Of the resolved view `view:resolved`, whichever source it took the value from: that is one value, which may change its source. */
  readonly sourceId: string;
  /** The record id of a session or measurement; of a series `series:` and its workout or civil date; else the civil date. */
  readonly item: string;
}

/** What an event does to what you hold. */
export type RecordChange =
  | { readonly is: 'replace'; readonly key: RecordKey; readonly revision: number; readonly data: RecordData }
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
  if (!event.known) return undefined;
  switch (event.type) {
    case 'daily.updated':
      return replace(event.data, event.data.localDate);
    case 'sleep.updated':
    case 'workout.updated':
    case 'measurement.updated':
      return replace(event.data, event.data.recordId);
    case 'series.updated':
      return replace(event.data, seriesItem(event.data.workoutId, event.data.localDate));
    case 'record.deleted': {
      const { data } = event;
      const { kind, recordId, localDate, revision } = data;
      const item = kind === 'series' ? seriesItem(recordId, localDate) : (recordId ?? localDate);
      return { is: 'remove', key: keyOf(data, item), revision, localDate };
    }
    case 'user.erased':
      return { is: 'erase', userId: event.data.user.id, revision: event.data.revision };
    default:
      return undefined;
  }
}

function replace(data: RecordData, item: string): RecordChange {
  return { is: 'replace', key: keyOf(data, item), revision: data.revision, data };
}

/** Marked, since a measurement of the same metric may have the id of the workout. */
function seriesItem(workoutId: string | null, localDate: string): string {
  return `series:${workoutId ?? localDate}`;
}

function keyOf(
  data: {
    readonly user: { readonly id: string };
    readonly provider: string;
    readonly metric: string;
    readonly kind: string;
    readonly localDate: string;
    readonly source: { readonly id: string };
    readonly view?: string | undefined;
  },
  item: string,
): RecordKey {
  const { user, provider, metric, source } = data;
  if (data.view !== 'resolved') return { userId: user.id, provider, metric, sourceId: source.id, item };
  return { userId: user.id, provider: ofView, metric, sourceId: ofView, item: itemOfView(data, item) };
}

const ofView = 'view:resolved';

/** One of a day, whosever record is shown; sessions by the one that stands for them, since two providers may use the same id. */
function itemOfView(
  { kind, localDate, provider, source }: { kind: string; localDate: string; provider: string; source: { id: string } },
  item: string,
): string {
  if (kind === 'session') return `${provider}/${source.id}/${item}`;
  return kind === 'series' ? seriesItem(null, localDate) : localDate;
}
