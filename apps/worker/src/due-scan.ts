import { InjectQueue } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type FetchLane, fetchQueue, fetchTicket, resolveQueue, resolveTicket } from '@tributary/handoffs';
import { findDueLanes, findUnfiled, inTransaction, planSweeps, tryScanLock } from '@tributary/storage';
import type { Scope } from '@tributary/domain';
import { type Ticket, issueTickets } from '@tributary/tickets';
import { type Queue } from 'bullmq';
import { revokeUpstream } from './revoke-upstream.js';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 500;
const COMPLAIN_EVERY_MS = 10_000;
/** Connections whose sweep one scan plans; the rest come a moment later. */
const SWEEPS = 100;

/**
 * Looks every 250 to 500 ms who has work that is due and issues tickets for them, whatever the queue has lost; plans sweeps; ends
 * grants upstream. Every worker process has this timer, and one at a time scans. It never gives up: while the database is away, the
 * next scan is the retry.
 */
@Injectable()
export class DueScan implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #revoking: Promise<void> | undefined;
  #stopped = false;
  #complainedAt = -Infinity;

  constructor(
    @Inject(WORKER_CONTEXT) private readonly context: WorkerContext,
    @InjectQueue(resolveQueue) private readonly resolves: Queue<Ticket>,
    @InjectQueue(fetchQueue) private readonly fetches: Queue<Ticket>,
  ) {}

  onApplicationBootstrap(): void {
    this.#plan();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#revoking;
  }

  /** One scan, by whoever gets the lock. Calls to providers go on after it. */
  async scan(): Promise<void> {
    const due = await inTransaction(this.context.pool, async (client) => {
      if (!(await tryScanLock(client))) return undefined;
      await planSweeps(client, this.#sweepable(), SWEEPS);
      const unfiled: Scope[] = await findUnfiled(client);
      const lanes: FetchLane[] = await findDueLanes(client);
      return { unfiled, lanes };
    });
    if (due === undefined) return;
    await issueTickets(this.resolves, due.unfiled.map(resolveTicket), this.#complain);
    await issueTickets(this.fetches, due.lanes.map(fetchTicket), this.#complain);
    this.#revoking ??= revokeUpstream(this.context)
      .catch(this.#complain)
      .finally(() => {
        this.#revoking = undefined;
      });
  }

  #plan(): void {
    if (this.#stopped) return;
    const pauseMs = SHORTEST_PAUSE_MS + (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS) * this.context.random();
    this.#timer = setTimeout(() => {
      this.#running = this.scan()
        .catch(this.#complain)
        .finally(() => this.#plan());
    }, pauseMs);
  }

  #sweepable(): { provider: string; collection: string }[] {
    return [...this.context.providers.values()].flatMap((provider) =>
      Object.entries(provider.collections)
        .filter(([, facts]) => facts.byDays)
        .map(([collection]) => ({ provider: provider.id, collection })),
    );
  }

  readonly #complain = (error: unknown): void => {
    const now = this.context.clock();
    if (now - this.#complainedAt < COMPLAIN_EVERY_MS) return;
    this.#complainedAt = now;
    this.context.log.warn({ what: 'due_scan.failed', err: error });
  };
}
