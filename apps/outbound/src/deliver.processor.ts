import { DueScan } from '@tributary/service-shell';
import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, type OnApplicationBootstrap } from '@nestjs/common';
import { deliverQueue, deliverTicket, readDeliverTicket } from '@tributary/handoffs';
import { type Database, findDueEndpoints } from '@tributary/storage';
import { type Ticket, issueTickets, ticketWorkerOptions } from '@tributary/tickets';
import { type Job, type Queue } from 'bullmq';
import { DeliverSlice, slice } from './deliver-slice.js';
import type { SliceDependencies } from './slice-dependencies.js';

export const SLICE_DEPENDENCIES = Symbol('slice dependencies');

/** Endpoints worked at the same moment; most of a slice is waiting, for answers or for the rate that an endpoint wants. */
const CONCURRENCY = 256;

/** Works deliver tickets, one slice for each, and issues tickets for endpoints whose time has come. */
@Processor(deliverQueue, { concurrency: CONCURRENCY, ...ticketWorkerOptions })
export class DeliverProcessor extends WorkerHost implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #slices: DeliverSlice;
  readonly #dueScan: DueScan;
  readonly #pool: Database['pool'];

  constructor(
    @Inject(SLICE_DEPENDENCIES) private readonly use: SliceDependencies,
    @InjectQueue(deliverQueue) private readonly queue: Queue<Ticket>,
  ) {
    super();
    this.#pool = use.pool;
    this.#slices = new DeliverSlice(use);
    this.#dueScan = new DueScan({ scan: () => this.#issueDue(), random: use.random, clock: use.clock, log: use.log });
    queue.on('error', this.#onQueueError);
  }

  onApplicationBootstrap(): void {
    this.#dueScan.start();
  }

  async process(job: Job<Ticket>): Promise<void> {
    const endpoint = readDeliverTicket(job.data.key);
    try {
      // More goes to the back of the queue, so that nobody's backlog delays others.
      if (await this.#slices.run(endpoint)) await issueTickets(this.queue, [job.data.key], this.#onQueueError);
    } catch (error) {
      // Nothing is lost: the rows stand in Postgres, and the due-scan comes by again.
      this.use.log.error({ what: 'delivery.slice_failed', endpointId: endpoint.endpointId, err: error });
    }
  }

  /** First no more tickets, then the requests in hand to their end, and their results on record. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#dueScan.stop();
    await this.worker.close();
  }

  @OnWorkerEvent('error')
  onWorkerError(error: Error): void {
    this.#onQueueError(error);
  }

  readonly #onQueueError = (error: Error): void => {
    this.use.log.warn({ what: 'queue.error', queue: deliverQueue, err: error });
  };

  async #issueDue(): Promise<void> {
    const due = await findDueEndpoints(this.#pool, slice.rateStretchMs);
    await issueTickets(this.queue, due.map(deliverTicket), this.#onQueueError);
  }
}
