import type { EndpointRef } from '@tributary/handoffs';
import { findStillHeld, letGoOfErased } from '@tributary/storage';
import type { SliceDependencies } from './slice-dependencies.js';

/** A request is begun only if its delivery was ours so shortly before. */
export const lookEveryMs = 250;

export interface Watched {
  readonly endpoint: EndpointRef;
  readonly leaseToken: string;
  /** Where the slice is sent to. */
  readonly url: string;
  /** What it is signed with. */
  readonly secretIds: readonly string[];
  readonly eventIds: readonly string[];
  /** Epoch milliseconds, before the claim was made. */
  readonly claimedAt: number;
}

/**
 * Knows which deliveries of a slice may still be begun. While a slice is being sent, a person may be erased, the endpoint disabled, deleted or moved,
 * or a secret revoked: one statement for all that wait finds out, at most every {@link lookEveryMs}, and a slice that is sent faster asks nothing.
 */
export class LeaseWatch {
  readonly #waiting: Set<string>;
  #lookedAt: number;
  #looking: Promise<void> | undefined;

  constructor(
    private readonly use: Pick<SliceDependencies, 'pool' | 'clock' | 'log'>,
    private readonly watched: Watched,
  ) {
    this.#waiting = new Set(watched.eventIds);
    this.#lookedAt = watched.claimedAt;
  }

  /** Begin it at once where this says true, and never where it says false. */
  async mayBegin(eventId: string): Promise<boolean> {
    if (this.use.clock() - this.#lookedAt >= lookEveryMs) await (this.#looking ??= this.#look());
    return this.#waiting.delete(eventId);
  }

  async #look(): Promise<void> {
    const { pool, clock, log } = this.use;
    const { endpoint, leaseToken, url, secretIds } = this.watched;
    const eventIds = [...this.#waiting];
    const at = clock();
    try {
      const held = new Set(await findStillHeld(pool, { ...endpoint, leaseToken, url, secretIds, eventIds }));
      const lost = eventIds.filter((id) => !held.has(id));
      for (const id of lost) this.#waiting.delete(id);
      // Whoever erased the person waits for this.
      if (lost.length > 0) await letGoOfErased(pool, endpoint, { endpointId: endpoint.endpointId, eventIds: lost });
    } catch (error) {
      // Who cannot see begins nothing: what was claimed goes back, and is sent later.
      this.#waiting.clear();
      log.warn({ what: 'delivery.look_failed', ...endpoint, err: error });
    } finally {
      this.#lookedAt = at;
      this.#looking = undefined;
    }
  }
}
