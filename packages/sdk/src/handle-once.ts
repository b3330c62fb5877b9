import { type ClaimKey, type ClaimStore, type TransactionalStore } from './claim-store.js';
import { type VerifiedEvent } from './events.js';
import { startHeartbeat } from './heartbeat.js';
import { type ReceiverOutcome } from './receiver-outcome.js';
import { RetryLater } from './retry-later.js';

export interface HandlerContext<Transaction = undefined> {
  /** True when an earlier attempt began this event and never finished: part of its work may be there already. */
  readonly takenOver: boolean;
  /** Your transaction, in transactional mode: what is written through it is kept together with the completion, or not at all. */
  readonly transaction: Transaction;
  /** Aborted when the event is not held any more: stop, and write nothing more. Hand it on to `fetch` and the like. */
  readonly signal: AbortSignal;
  /**
   * Holds on to the event for so many seconds from now, beyond what is done by itself while the handler runs. False: another has
   * taken it over; stop, and write nothing more.
   */
  extendLease(seconds: number): Promise<boolean>;
}

/** Called with each event once it is proved and claimed. Rejecting, or throwing, makes Tributary send it again. */
export type Handler<E extends VerifiedEvent, Transaction = undefined> = (
  event: E,
  context: HandlerContext<Transaction>,
) => void | Promise<void>;

export interface Leases {
  readonly leaseSeconds: number;
  readonly maxHandlingSeconds: number;
}

/** A timer of JavaScript holds 24 days; one that is set for longer ends at once. */
const longestSeconds = 86_400;

/** @throws RangeError */
export function checkLeases({ leaseSeconds, maxHandlingSeconds }: Leases): void {
  if (!(leaseSeconds > 0 && leaseSeconds <= longestSeconds)) throw new RangeError('leaseSeconds must be more than 0, and a day at most.');
  if (!(maxHandlingSeconds >= 0 && maxHandlingSeconds <= longestSeconds)) {
    throw new RangeError('maxHandlingSeconds must be 0 or more, and a day at most.');
  }
}

/** The failure of one stage; where it was is what the operator wants to know first. */
export function failedAt(
  stage: 'verify' | 'claim' | 'handler' | 'complete',
  error: unknown,
  event: VerifiedEvent | undefined,
): Extract<ReceiverOutcome, { is: 'failed' }> {
  const retryAfterSeconds = error instanceof RetryLater ? Math.ceil(error.seconds) : undefined;
  return { is: 'failed', stage, error, event, retryAfterSeconds };
}

/** Claim under a lease, handle, complete. Never rejects. */
export async function handleLeased(
  store: ClaimStore,
  key: ClaimKey,
  event: VerifiedEvent,
  handler: Handler<VerifiedEvent>,
  { leaseSeconds, maxHandlingSeconds }: Leases,
): Promise<ReceiverOutcome> {
  let stage: 'claim' | 'handler' | 'complete' = 'claim';
  try {
    const claim = await store.claim(key, leaseSeconds);
    if (claim.is === 'done') return { is: 'duplicate', event };
    if (claim.is === 'in-progress') return { is: 'in-progress', event, retryAfterSeconds: claim.retryAfterSeconds };
    const { token, takenOver } = claim;
    stage = 'handler';
    const heartbeat = startHeartbeat({ leaseSeconds, maxHandlingSeconds, extend: (seconds) => store.extend(key, token, seconds) });
    try {
      await handler(event, { takenOver, transaction: undefined, signal: heartbeat.signal, extendLease: heartbeat.extendLease });
    } catch (error) {
      heartbeat.stop();
      // If it cannot be released, the lease ends by itself.
      await store.release(key, token).catch(() => false);
      throw error;
    } finally {
      heartbeat.stop();
    }
    stage = 'complete';
    if (await store.complete(key, token)) return { is: 'handled', event };
    return failedAt(stage, new Error(`The lease of ${leaseSeconds} s ended before the handler did, and another took over.`), event);
  } catch (error) {
    return failedAt(stage, error, event);
  }
}

/** Claim, handle and complete inside one transaction. Never rejects. */
export async function handleInTransaction<Transaction>(
  store: TransactionalStore<Transaction>,
  key: ClaimKey,
  event: VerifiedEvent,
  handler: Handler<VerifiedEvent, Transaction>,
): Promise<ReceiverOutcome> {
  let stage: 'claim' | 'handler' | 'complete' = 'claim';
  // The transaction is the lease: it lasts as long as its connection does.
  const held = { takenOver: false, signal: new AbortController().signal, extendLease: async () => true };
  try {
    const outcome = await store.once(key, async (transaction) => {
      stage = 'handler';
      await handler(event, { ...held, transaction });
      stage = 'complete';
    });
    if (outcome.is === 'handled') return { is: 'handled', event };
    if (outcome.is === 'done') return { is: 'duplicate', event };
    return { is: 'in-progress', event, retryAfterSeconds: outcome.retryAfterSeconds };
  } catch (error) {
    return failedAt(stage, error, event);
  }
}
