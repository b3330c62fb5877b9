import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject } from '@nestjs/common';
import { fetchQueue, fetchTicket, readResolveTicket, resolveQueue } from '@tributary/handoffs';
import { fileNotices, inTransaction } from '@tributary/storage';
import { type Ticket, issueTickets, ticketWorkerOptions } from '@tributary/tickets';
import { type Job, type Queue } from 'bullmq';
import { WORKER_CONTEXT, type WorkerContext } from './worker-context.js';

const CONCURRENCY = 4;
/** Notices of one statement: more of one window are one write, and a slice of this many is still done in a fraction of a second. */
const SLICE = 2_000;

/** Works resolve tickets: the waiting notices of one environment become windows. */
@Processor(resolveQueue, { concurrency: CONCURRENCY, ...ticketWorkerOptions })
export class ResolveProcessor extends WorkerHost implements BeforeApplicationShutdown {
  constructor(
    @Inject(WORKER_CONTEXT) private readonly context: WorkerContext,
    @InjectQueue(resolveQueue) private readonly resolves: Queue<Ticket>,
    @InjectQueue(fetchQueue) private readonly fetches: Queue<Ticket>,
  ) {
    super();
    resolves.on('error', this.#onQueueError);
  }

  async process(job: Job<Ticket>): Promise<void> {
    const { pool, metrics, clock, log, draining } = this.context;
    const { key } = job.data;
    metrics.ticketLatency.observe({ queue: resolveQueue }, Math.max(clock() - job.timestamp, 0) / 1000);
    if (draining()) return;
    try {
      const scope = readResolveTicket(key);
      const filed = await inTransaction(pool, (client) => fileNotices(client, scope, SLICE));
      metrics.notices.inc({ result: 'covered' }, filed.covered);
      metrics.notices.inc({ result: 'taken' }, filed.taken - filed.covered);
      await issueTickets(
        this.fetches,
        filed.dueLanes.map((lane) => fetchTicket({ ...scope, lane })),
        this.#onQueueError,
      );
      // More goes to the back of the queue, so that nobody's flood delays others.
      if (filed.taken === SLICE) await issueTickets(this.resolves, [key], this.#onQueueError);
    } catch (error) {
      // Nothing is lost: the notices stand in Postgres, and the due-scan comes by again.
      log.error({ what: 'resolve.failed', environment: key, err: error });
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
    this.context.log.warn({ what: 'queue.error', queue: resolveQueue, err: error });
  };
}
