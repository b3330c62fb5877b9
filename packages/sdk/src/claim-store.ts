/** Which event at which endpoint. Two endpoints of one receiver get the same `webhook-id`, and both must act on it. */
export interface ClaimKey {
  readonly endpoint: string;
  /** `webhook-id`. */
  readonly id: string;
}

export type Claim =
  /** Ours to handle until the lease ends. `takenOver`: another began, and never said that it finished. */
  | { readonly is: 'claimed'; readonly token: string; readonly takenOver: boolean }
  /** Someone handles it now and may still fail: neither handle it nor say that it is done. */
  | { readonly is: 'in-progress'; readonly retryAfterSeconds: number }
  | { readonly is: 'done' };

/**
 * Remembers which events were handled. A claim is a lease with a token: if its holder dies, the lease ends and the next attempt
 * takes over; a holder that wakes up too late has a token that opens nothing any more. Marking an event as seen before
 * handling it would lose the event with the process.
 *
 * Every method rejects when the store cannot be reached. The store's clock decides, never the caller's.
 */
export interface ClaimStore {
  /** One atomic step. */
  claim(key: ClaimKey, leaseSeconds: number): Promise<Claim>;
  /** A new lease from now. False: the token is not the holder's any more; stop working. */
  extend(key: ClaimKey, token: string, leaseSeconds: number): Promise<boolean>;
  /** Handled. False: the token is not the holder's any more; another has taken over. */
  complete(key: ClaimKey, token: string): Promise<boolean>;
  /** Not handled: the next attempt may begin at once. False as in {@link complete}. */
  release(key: ClaimKey, token: string): Promise<boolean>;
  /**
   * Forgets what was handled, or abandoned, longer ago than this; returns how many. Default 31 days: an event can be replayed
   * by hand for 30, and one that is forgotten earlier would be handled twice.
   */
  purge(olderThanDays?: number): Promise<number>;
}

/**
 * Keeps the claim, what the handler writes, and the completion in one transaction of your own database: either all of it is there or
 * nothing is, so an effect in that database happens exactly once, whatever dies when.
 */
export interface TransactionalStore<Transaction> {
  /**
   * Runs `work` in a transaction, unless the event is done or another transaction holds it. Rejects, with everything undone, when
   * `work` does or when the transaction cannot be committed.
   */
  once(key: ClaimKey, work: (transaction: Transaction) => Promise<void>): Promise<Once>;
}

export type Once = { readonly is: 'handled' } | Exclude<Claim, { is: 'claimed' }>;

export const retentionDays = 31;
