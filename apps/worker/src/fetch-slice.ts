import { type FetchLane } from '@tributary/handoffs';
import { type ClaimedWindow, claimWindows, extendLeases } from '@tributary/storage';
import { Slots } from './slots.js';
import { CallPauses } from './call-pauses.js';
import { WindowWork } from './work-window.js';
import type { WorkerContext } from './worker-context.js';

/** Claims a bounded slice of one lane and works it, a few windows at a time. */
export class FetchSlice {
  readonly #work: WindowWork;
  readonly #pauses: CallPauses;

  constructor(private readonly context: WorkerContext) {
    this.#work = new WindowWork(context);
    this.#pauses = new CallPauses(context);
  }

  /**
   * @param onOwed told of endpoints as soon as a commit owes them something.
   * @returns whether more may be due in this lane.
   */
  async run(lane: FetchLane, onOwed: (endpointIds: readonly string[]) => Promise<void>): Promise<boolean> {
    const { pool, slice, fetches, leaseMs, monotonic, draining } = this.context;
    if (draining()) return false;
    const asked = monotonic();
    const claimed = await claimWindows(pool, lane, { limit: slice, leaseMs });
    if (claimed.length === 0) return false;
    const since = monotonic();
    const open = new Set<ClaimedWindow>(claimed.sort((a, b) => a.priority - b.priority));
    const slots = new Slots(fetches);
    const pauses = this.#pauses.forSlice(lane);
    const heartbeat = setInterval(() => {
      void this.#extend(open);
    }, leaseMs / 3);
    try {
      await Promise.all(
        [...open].map((window) =>
          slots.run(async () => {
            try {
              const owed = await this.#work.run(window, { atLeast: () => monotonic() - since, atMost: () => monotonic() - asked }, pauses);
              if (owed.length > 0) await onOwed(owed);
            } catch (error) {
              // The database failed us. The lease ends by itself, and the window is read again.
              const { connectionId, collection } = window;
              this.context.log.error({ what: 'window.failed', connectionId, collection, err: error });
            } finally {
              open.delete(window);
            }
          }),
        ),
      );
    } finally {
      clearInterval(heartbeat);
    }
    await pauses.holdBack();
    return claimed.length === slice;
  }

  async #extend(open: ReadonlySet<ClaimedWindow>): Promise<void> {
    if (open.size === 0) return;
    try {
      await extendLeases(this.context.pool, [...open], this.context.leaseMs);
    } catch (error) {
      this.context.log.warn({ what: 'lease.not_extended', err: error });
    }
  }
}
