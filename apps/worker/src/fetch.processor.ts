import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject } from '@nestjs/common';
import { deliverQueue, deliverTicket, fetchQueue, readFetchTicket } from '@tributary/handoffs';
import { type Ticket, issueTickets, ticketWorkerOptions } from '@tributary/tickets';
import { type Job, type Queue } from 'bullmq';
import { FetchSlice } from './fetch-slice.js';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

/** Lanes worked at the same moment; most of a slice is waiting for a provider. */
const CONCURRENCY = 4;

/** Works fetch tickets: one slice of one lane for each. */
@Processor(fetchQueue, { concurrency: CONCURRENCY, ...ticketWorkerOptions })
export class FetchProcessor extends WorkerHost implements BeforeApplicationShutdown {
  readonly #slices: FetchSlice;

  constructor(
    @Inject(WORKER_CONTEXT) private readonly context: WorkerContext,
    @InjectQueue(fetchQueue) private readonly fetches: Queue<Ticket>,
    @InjectQueue(deliverQueue) private readonly deliveries: Queue<Ticket>,
  ) {
    super();
    this.#slices = new FetchSlice(context);
    fetches.on('error', this.#onQueueError);
    deliveries.on('error', this.#onQueueError);
  }

  async process(job: Job<Ticket>): Promise<void> {
    const { key } = job.data;
    this.context.metrics.ticketLatency.observe({ queue: fetchQueue }, Math.max(this.context.clock() - job.timestamp, 0) / 1000);
    const lane = readFetchTicket(key);
    const onOwed = (ids: readonly string[]) =>
      issueTickets(
        this.deliveries,
        ids.map((endpointId) => deliverTicket({ ...lane, endpointId })),
        this.#onQueueError,
      );
    try {
      // More goes to the back of the queue, so that nobody's backlog delays others.
      if (await this.#slices.run(lane, onOwed)) await issueTickets(this.fetches, [key], this.#onQueueError);
    } catch (error) {
      // Nothing is lost: the windows stand in Postgres, and the due-scan comes by again.
      this.context.log.error({ what: 'fetch.slice_failed', lane: key, err: error });
    }
  }

  /** First no more tickets, then what is in hand to its end. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.close();
  }

  @OnWorkerEvent('error')
  onWorkerError(error: Error): void {
    this.#onQueueError(error);
  }

  readonly #onQueueError = (error: Error): void => {
    this.context.log.warn({ what: 'queue.error', queue: fetchQueue, err: error });
  };
}
