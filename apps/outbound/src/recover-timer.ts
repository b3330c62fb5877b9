import { InjectQueue } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { deliverQueue, deliverTicket } from '@tributary/handoffs';
import { DueScan } from '@tributary/service-shell';
import { type Ticket, issueTickets } from '@tributary/tickets';
import { type Queue } from 'bullmq';
import type { SliceDependencies } from './slice-dependencies.js';
import { SLICE_DEPENDENCIES } from './deliver.processor.js';
import { recoverDue } from './recover-slice.js';

/** Moves recoveries along a few times a second: one indexed query while none is due. */
@Injectable()
export class RecoverTimer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #timer: DueScan;

  constructor(
    @Inject(SLICE_DEPENDENCIES) private readonly use: SliceDependencies,
    @InjectQueue(deliverQueue) private readonly deliveries: Queue<Ticket>,
  ) {
    const { random, clock, log } = use;
    this.#timer = new DueScan({ scan: () => this.#recover(), random, clock, log });
  }

  onApplicationBootstrap(): void {
    this.#timer.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#timer.stop();
  }

  async #recover(): Promise<void> {
    const owed = await recoverDue(this.use, this.use.draining);
    await issueTickets(this.deliveries, owed.map(deliverTicket), (error) => this.#timer.complain(error));
  }
}
