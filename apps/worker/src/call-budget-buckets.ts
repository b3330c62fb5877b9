import { type Bucket, type CallClass, refilled } from '@tributary/domain';
import type { BucketFacts, Provider } from '@tributary/providers';
import type { BudgetOwner, NewBucket, StoredBucket } from '@tributary/storage';

/** Who calls, and so whose buckets it takes from. */
export interface Account extends BudgetOwner {
  readonly provider: Provider;
  readonly sandbox: boolean;
  /** Undefined: for no person; only the app's buckets count then. */
  readonly connectionId: string | undefined;
  /** `other`: for tokens, subscriptions and the end of a grant; only buckets that count everything are taken from. */
  readonly calls: 'reads' | 'other';
}

/** By the priority of a window. */
const classes: readonly CallClass[] = ['live', 'backfill', 'sweep'];

export function classOf(priority: number): CallClass {
  return classes[priority] ?? 'sweep';
}

export function priorityOf(kind: CallClass): number {
  return classes.indexOf(kind);
}

/** A sandbox app may call so much more: what the stand-ins limit is ordered by their faults, and demos and tests should not stand still. */
const SANDBOX_TIMES = 100;

/** The buckets that a call of this account is taken from, as the adapter's figures have them; the app's first. */
export function bucketsOf({ provider, sandbox, connectionId, calls }: Account, sandboxTimes = SANDBOX_TIMES): NewBucket[] {
  const times = sandbox ? sandboxTimes : 1;
  const counts = ({ counts: what }: BucketFacts) => calls === 'reads' || what === 'everything';
  const app = provider.limits.app.filter(counts).map((facts) => newBucket(undefined, facts, times));
  if (connectionId === undefined || calls === 'other') return app;
  return [...app, ...provider.limits.connection.map((facts) => newBucket(connectionId, facts, times))];
}

function newBucket(connectionId: string | undefined, { name, capacity, refill, reserved }: BucketFacts, times: number): NewBucket {
  return {
    connectionId,
    name,
    capacity: capacity * times,
    refill: refill.is === 'steady' ? { is: 'steady', perS: refill.perS * times } : refill,
    reserved,
  };
}

/** Names a bucket among those of its app. */
export function bucketKey({ connectionId, name }: Pick<NewBucket, 'connectionId' | 'name'>): string {
  return `${connectionId ?? ''} ${name}`;
}

/** Until an answer told the limit, a bucket follows the adapter's figures, also when they are other ones than it began with. */
export function fitted(stored: StoredBucket, facts: NewBucket, now: number): Bucket {
  const bucket = refilled(stored.bucket, now);
  if (stored.learned) return { ...bucket, reserved: facts.reserved };
  const { capacity, reserved, refill } = facts;
  const tokens = Math.min(capacity, Math.max(0, bucket.tokens + capacity - bucket.capacity));
  if (refill.is === 'steady') return { ...bucket, capacity, tokens, reserved, refill };
  const isSame = bucket.refill.is === 'window' && bucket.refill.lengthMs === refill.lengthMs;
  const resetsAt = (Math.floor(now / refill.lengthMs) + 1) * refill.lengthMs;
  return { ...bucket, capacity, tokens, reserved, refill: isSame ? bucket.refill : { ...refill, resetsAt } };
}
