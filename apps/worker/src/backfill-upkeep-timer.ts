import { InjectQueue } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { deliverQueue, deliverTicket } from '@tributary/handoffs';
import { DueScan } from '@tributary/service-shell';
import { type Ticket, issueTickets } from '@tributary/tickets';
import { type Queue } from 'bullmq';
import { tendBackfills } from './backfill-upkeep.js';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

/** Looks after backfills a few times a second: one indexed query while nothing is due. */
@Injectable()
export class BackfillUpkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #timer: DueScan;

  constructor(
    @Inject(WORKER_CONTEXT) private readonly context: WorkerContext,
    @InjectQueue(deliverQueue) private readonly deliveries: Queue<Ticket>,
  ) {
    const { random, clock, log } = context;
    this.#timer = new DueScan({ scan: () => this.#tend(), random, clock, log });
  }

  onApplicationBootstrap(): void {
    this.#timer.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#timer.stop();
  }

  async #tend(): Promise<void> {
    const owed = await tendBackfills(this.context);
    await issueTickets(this.deliveries, owed.map(deliverTicket), (error) => this.#timer.complain(error));
  }
}
