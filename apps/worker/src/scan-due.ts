import { InjectQueue } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { fetchQueue, fetchTicket, resolveQueue, resolveTicket, viewQueue, viewTicket } from '@tributary/handoffs';
import { sweptCollections } from '@tributary/providers';
import { DueScan } from '@tributary/service-shell';
import {
  type SweptCollection,
  findDueLanes,
  findUnfiled,
  findUnresolved,
  inTransaction,
  planSweeps,
  tryScanLock,
} from '@tributary/storage';
import { type Ticket, issueTickets } from '@tributary/tickets';
import { type Queue } from 'bullmq';
import { revokeUpstream } from './revoke-upstream.js';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

/** Connections whose sweep one scan plans; the rest come a moment later. */
const SWEEPS = 100;

/** What the due-scan does here: plans sweeps, issues tickets for what is due, ends grants upstream. One process at a time scans. */
@Injectable()
export class ScanDue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #dueScan: DueScan;
  #revoking: Promise<void> | undefined;

  constructor(
    @Inject(WORKER_CONTEXT) private readonly context: WorkerContext,
    @InjectQueue(resolveQueue) private readonly resolves: Queue<Ticket>,
    @InjectQueue(fetchQueue) private readonly fetches: Queue<Ticket>,
    @InjectQueue(viewQueue) private readonly views: Queue<Ticket>,
  ) {
    const { random, clock, log } = context;
    this.#dueScan = new DueScan({ scan: () => this.#scan(), random, clock, log });
  }

  onApplicationBootstrap(): void {
    this.#dueScan.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#dueScan.stop();
    await this.#revoking;
  }

  async #scan(): Promise<void> {
    const due = await inTransaction(this.context.pool, async (client) => {
      if (!(await tryScanLock(client))) return undefined;
      await planSweeps(client, this.#sweepable(), SWEEPS);
      return { unfiled: await findUnfiled(client), lanes: await findDueLanes(client), unresolved: await findUnresolved(client) };
    });
    if (due === undefined) return;
    await issueTickets(this.resolves, due.unfiled.map(resolveTicket), this.#complain);
    await issueTickets(this.fetches, due.lanes.map(fetchTicket), this.#complain);
    await issueTickets(this.views, due.unresolved.map(viewTicket), this.#complain);
    // Calls to providers go on beside the next scans.
    this.#revoking ??= revokeUpstream(this.context)
      .catch(this.#complain)
      .finally(() => {
        this.#revoking = undefined;
      });
  }

  #sweepable(): SweptCollection[] {
    return [...this.context.providers.values()].flatMap((provider) =>
      sweptCollections(provider).map((collection) => ({
        provider: provider.id,
        collection,
        scope: provider.collections[collection]?.scope,
        spanDays: provider.collections[collection]?.spanDays,
      })),
    );
  }

  readonly #complain = (error: unknown): void => this.#dueScan.complain(error);
}
