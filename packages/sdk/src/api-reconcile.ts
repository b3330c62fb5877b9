import { type ApiClient, type EachOptions } from './api-client.js';
import { type VerifiedEvent, isEventType } from './events.js';
import { type Receiver } from './receiver.js';
import { type ReceiverOutcome } from './receiver-outcome.js';

export interface ReconcileOptions {
  readonly api: Pick<ApiClient, 'each'>;
  readonly receiver: Receiver;
  /**
   * Events from here on are looked at, and those of ten minutes before, which may have been sent only after. Tributary holds them for 30
   * days.
   */
  readonly since: Date;
  /** The endpoint whose events may be missing, where one receiver serves several. */
  readonly endpoint?: string;
  /** Only events of this type. */
  readonly type?: NonNullable<EachOptions<'/v1/events'>['query']>['type'];
  readonly signal?: AbortSignal;
}

export interface Reconciled {
  /** Events of the span. */
  readonly read: number;
  /** Were missing, and are handled now. */
  readonly handled: number;
  readonly duplicate: number;
  /** No handler wants them. */
  readonly ignored: number;
  /** Another process handles them at this moment. */
  readonly inProgress: number;
  /** Their handler failed, or their store: look at `onProblem`, and reconcile again. */
  readonly failed: number;
  /** Of people who were erased since: nothing is left of them to handle. */
  readonly erased: number;
}

/** Events are listed by revision; the time of one is when its transaction began, which may be earlier than those of its neighbours. */
const lateMs = 600_000;

/**
 * Reads the events since then from the API and pushes those that were missed through the receiver: the same claim, the same handler. For
 * the time after an outage, or once a day. What was handled is not handled again.
 * @throws ApiProblem when the API refuses; what was handled until then stays handled. RangeError when `since` is no time
 */
export async function reconcile({ api, receiver, since, endpoint, type, signal }: ReconcileOptions): Promise<Reconciled> {
  // NaN is later than nothing: everything that there is would be read.
  if (Number.isNaN(since.getTime())) throw new RangeError('reconcile: `since` is an invalid date.');
  const counts = { read: 0, handled: 0, duplicate: 0, ignored: 0, inProgress: 0, failed: 0, erased: 0 };
  const query = { limit: 200, ...(type === undefined ? {} : { type }) };
  // Newest first, which is well: an erasure is met before the values that it ended.
  for await (const entry of api.each('/v1/events', { query, ...(signal === undefined ? {} : { signal }) })) {
    if (Date.parse(entry.occurredAt) < since.getTime() - lateMs) break;
    counts.read++;
    if (entry.data === null) counts.erased++;
    else counts[countOf(await receiver.accept(eventOf(entry), endpoint))]++;
  }
  return counts;
}

function countOf(outcome: ReceiverOutcome): Exclude<keyof Reconciled, 'read' | 'erased'> {
  switch (outcome.is) {
    case 'handled':
    case 'duplicate':
    case 'ignored':
    case 'failed':
      return outcome.is;
    case 'in-progress':
    case 'draining':
      return 'inProgress';
    case 'refused':
      return 'failed';
  }
}

/** Proved by the key under which it was read, instead of a signature. */
function eventOf(entry: {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly data: unknown;
}): VerifiedEvent {
  const { id, type, occurredAt: timestamp, data } = entry;
  return { id, sentAt: new Date(timestamp), known: isEventType(type), type, timestamp, deliveryAttempt: 0, data } as VerifiedEvent;
}
