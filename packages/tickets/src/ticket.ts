import type { JobsOptions, Queue, WorkerOptions } from 'bullmq';

/**
 * A ticket says who has work, never what the work is. One waits for a key at most; one that comes while its key is being worked is
 * kept and runs after it, so no commit is overlooked. Never delayed: time lives in Postgres.
 */
export function ticketOptions(key: string): JobsOptions {
  return { deduplication: { id: key, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true };
}

export interface Ticket {
  readonly key: string;
}

/**
 * Issues tickets for keys that have work now. A failure is told to `onLost` and not thrown: what is owed stands in Postgres, and
 * the due-scan issues the ticket anew.
 */
export async function issueTickets(queue: Queue<Ticket>, keys: readonly string[], onLost: (error: Error) => void): Promise<void> {
  if (keys.length === 0) return;
  try {
    await queue.addBulk([...new Set(keys)].map((key) => ({ name: queue.name, data: { key }, opts: ticketOptions(key) })));
  } catch (error) {
    onLost(error as Error);
  }
}

/**
 * A killed process leaves its tickets active; they are handed on after `lockDuration`. Working a ticket twice is harmless, since
 * every row it names is claimed under a lease: so be quick, and never give a ticket up. `runRetryDelay` is how long a worker sleeps
 * after its queue refused a connection; BullMQ's own 15 s would be what every short outage costs.
 */
export const ticketWorkerOptions = {
  lockDuration: 8_000,
  stalledInterval: 4_000,
  maxStalledCount: 1_000_000,
  runRetryDelay: 1_000,
} satisfies Partial<WorkerOptions>;
