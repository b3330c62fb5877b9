import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject } from '@nestjs/common';
import { deliverQueue, deliverTicket, readViewTicket, viewQueue } from '@tributary/handoffs';
import { type Ticket, issueTickets, ticketWorkerOptions } from '@tributary/tickets';
import { type Job, type Queue } from 'bullmq';
import { resolveViews } from './resolve-views.js';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

const CONCURRENCY = 2;

/** Works view tickets: the resolved view of one environment comes a part further. */
@Processor(viewQueue, { concurrency: CONCURRENCY, ...ticketWorkerOptions })
export class ViewProcessor extends WorkerHost implements BeforeApplicationShutdown {
  constructor(
    @Inject(WORKER_CONTEXT) private readonly context: WorkerContext,
    @InjectQueue(viewQueue) private readonly views: Queue<Ticket>,
    @InjectQueue(deliverQueue) private readonly deliveries: Queue<Ticket>,
  ) {
    super();
    views.on('error', this.#onQueueError);
    deliveries.on('error', this.#onQueueError);
  }

  async process(job: Job<Ticket>): Promise<void> {
    const { key } = job.data;
    this.context.metrics.ticketLatency.observe({ queue: viewQueue }, Math.max(this.context.clock() - job.timestamp, 0) / 1000);
    if (this.context.draining()) return;
    try {
      const scope = readViewTicket(key);
      const { changed, endpoints, more } = await resolveViews(this.context, scope);
      for (const { change } of changed) this.context.metrics.resolved.inc({ change: change ?? 'updated' });
      const tickets = endpoints.map((endpointId) => deliverTicket({ ...scope, endpointId }));
      if (tickets.length > 0) await issueTickets(this.deliveries, tickets, this.#onQueueError);
      // More goes to the back of the queue, so that nobody's backlog delays others.
      if (more) await issueTickets(this.views, [key], this.#onQueueError);
    } catch (error) {
      // Nothing is lost: how far the view came stands in Postgres, and the due-scan comes by again.
      this.context.log.error({ what: 'view.failed', environment: key, err: error });
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
    this.context.log.warn({ what: 'queue.error', queue: viewQueue, err: error });
  };
}
