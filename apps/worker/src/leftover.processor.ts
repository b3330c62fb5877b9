import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject } from '@nestjs/common';
import { leftoverQueue, readLeftoverTicket } from '@tributary/handoffs';
import { type Ticket, ticketWorkerOptions } from '@tributary/tickets';
import { type Job, type Queue } from 'bullmq';
import { endLeftover } from './end-leftover.js';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

/** Works leftover tickets, one at a time: nobody waits for them. One that fails is owed again by the next such delivery. */
@Processor(leftoverQueue, { concurrency: 1, ...ticketWorkerOptions })
export class LeftoverProcessor extends WorkerHost implements BeforeApplicationShutdown {
  constructor(
    @Inject(WORKER_CONTEXT) private readonly context: WorkerContext,
    @InjectQueue(leftoverQueue) leftovers: Queue<Ticket>,
  ) {
    super();
    leftovers.on('error', this.#onQueueError);
  }

  async process(job: Job<Ticket>): Promise<void> {
    const { key } = job.data;
    this.context.metrics.ticketLatency.observe({ queue: leftoverQueue }, Math.max(this.context.clock() - job.timestamp, 0) / 1000);
    if (this.context.draining()) return;
    try {
      await endLeftover(this.context, readLeftoverTicket(key));
    } catch (error) {
      this.context.log.error({ what: 'leftover.failed', app: key, err: error });
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.close();
  }

  @OnWorkerEvent('error')
  onWorkerError(error: Error): void {
    this.#onQueueError(error);
  }

  readonly #onQueueError = (error: Error): void => {
    this.context.log.warn({ what: 'queue.error', queue: leftoverQueue, err: error });
  };
}
