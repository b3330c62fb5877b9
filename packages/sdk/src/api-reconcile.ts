import { type ApiClient, type EachOptions } from './api-client.js';
import { type VerifiedEvent, isEventType } from './events.js';
import { type Receiver } from './receiver.js';
import { type ReceiverOutcome } from './receiver-outcome.js';

export interface ReconcileOptions {
  readonly api: Pick<ApiClient, 'each'>;
  readonly receiver: Receiver;
  /** Events from here on are looked at. Tributary holds them for 30 days. */
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

/** An event is written before it is listed, and one beside it may be written a little later with an earlier time. */
const lateMs = 60_000;

/**
 * Reads the events since then from the API and pushes those that were missed through the receiver: the same claim, the same handler. For
 * the time after an outage, or once a day. What was handled is not handled again.
 * @throws ApiProblem when the API refuses; what was handled until then stays handled
 */
export async function reconcile({ api, receiver, since, endpoint, type, signal }: ReconcileOptions): Promise<Reconciled> {
  const counts = { read: 0, handled: 0, duplicate: 0, ignored: 0, inProgress: 0, failed: 0, erased: 0 };
  const query = { limit: 200, ...(type === undefined ? {} : { type }) };
  // Newest first, which is well: an erasure is met before the values that it ended.
  for await (const entry of api.each('/v1/events', { query, ...(signal === undefined ? {} : { signal }) })) {
    const at = Date.parse(entry.occurredAt);
    if (at < since.getTime() - lateMs) break;
    if (at < since.getTime()) continue;
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
