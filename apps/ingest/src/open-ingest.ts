import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ProviderUnreachable, inboundProviders } from '@tributary/providers';
import { type Logger, createMetrics, createProviderHttp, sealCallback, systemClock } from '@tributary/service-shell';
import { type Database, connect, keepPartitions } from '@tributary/storage';
import { leftoverQueue, leftoverTicket, resolveTicket } from '@tributary/handoffs';
import { issueTickets, openTicketBackend } from '@tributary/tickets';
import type { DeliveryBook } from './accept-webhook.js';
import { openPostgresBook } from './delivery-book.postgres.js';
import type { IngestConfig } from './ingest.config.js';
import { ingestMetrics } from './ingest-metrics.js';
import { IngestModule, LEFTOVER_TICKETS, RESOLVE_TICKETS } from './ingest.module.js';
import { OwedTickets } from './owed-tickets.js';
import { startPartitionUpkeep } from './partition-upkeep.js';
import { keepRemoteKeys } from './remote-keys.js';
import { describeFault } from './storage-fault.js';
import { webhookRoutes } from './webhook-routes.js';

export interface OpenIngest {
  readonly module: DynamicModule;
  /** Before the port is opened: the routes. */
  prepare(app: NestFastifyApplication): void;
  /** From here on not ready; the server itself refuses new requests. */
  drain(): void;
  /** After Nest: what still waits is written, then connections close. */
  close(): Promise<void>;
}

/** Under a steady stream one round serves many batches; an environment that was quiet gets its ticket at once. */
const TICKET_GAP_MS = 100;
/** A subscription that was left over may send a lot; to look after it once in a while is enough. */
const LEFTOVER_GAP_MS = 30_000;
const LOST_LOG_MS = 10_000;
/** A request that is not whole by then is cut off: slow senders cannot hold sockets. */
const REQUEST_TIMEOUT_MS = 15_000;

/**
 * Opens everything that the process holds.
 * @param wrapBook for the benchmark, which measures the same process with another book.
 */
export async function openIngest(
  config: IngestConfig,
  log: Logger,
  wrapBook = (book: DeliveryBook, _database: Database): DeliveryBook => book,
): Promise<OpenIngest> {
  const database = await connect({
    url: config.databaseUrl,
    poolSize: config.poolSize,
    applicationName: 'tributary-ingest',
    // One plan for every batch size: planning anew costs as much as a small batch. A lock that an erasure holds must not hold the rest.
    settings: {
      plan_cache_mode: 'force_generic_plan',
      jit: 'off',
      lock_timeout: '2s',
      statement_timeout: `${config.batches.deadlineMs}ms`,
    },
    // A connection that went silent is given up, or its place among the statements under way would never be free again.
    queryTimeoutMs: config.batches.deadlineMs + 2_000,
  });
  const onQueueError = throttled(LOST_LOG_MS, (error: Error) => log.warn({ what: 'ingest.queue_error', ...describeFault(error) }));
  // An outage is one line a while; how many were turned away is a counter.
  const tellFault = throttled(LOST_LOG_MS, ({ provider, error }: { provider: string; error: unknown }) =>
    log.error({ what: 'ingest.not_stored', provider, ...describeFault(error) }),
  );
  const backend = await openTicketBackend({
    redisUrl: config.redisUrl,
    databaseUrl: config.databaseUrl,
    onError: onQueueError,
    mayBeAway: true,
  });
  const registry = createMetrics('ingest');
  const metrics = ingestMetrics(registry, () => book.waiting());
  const book = openPostgresBook({
    sql: database.pool,
    keys: config.keys,
    clock: systemClock,
    log,
    limits: config.batches,
    sandboxUrl: config.sandboxUrl,
    observeBatch: metrics.observeBatch,
  });
  const keyHttp = createProviderHttp({
    allowedOrigins: new Set([
      ...inboundProviders.flatMap(({ facts }) => facts.keyOrigins ?? []),
      ...(config.sandboxUrl === undefined ? [] : [new URL(config.sandboxUrl).origin]),
    ]),
    deadlineMs: 2_000,
    maxReplyBytes: 256 * 1024,
    unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
  });
  const remoteKeys = keepRemoteKeys(keyHttp, systemClock);
  const upkeep = startPartitionUpkeep({ keep: () => keepPartitions(database.pool), log });
  let draining = false;
  return {
    module: IngestModule.with({
      backend,
      health: { metrics: registry, checks: [{ name: 'postgres', check: () => database.check() }], draining: () => draining },
      makeTickets(queue) {
        queue.on('error', onQueueError);
        const onLost = (error: Error) => {
          metrics.ticketsLost();
          onQueueError(error);
        };
        const gapMs = queue.name === leftoverQueue ? LEFTOVER_GAP_MS : TICKET_GAP_MS;
        return new OwedTickets({ issue: (keys) => issueTickets(queue, keys, onLost), gapMs });
      },
    }),
    prepare(app) {
      const resolves = app.get<OwedTickets>(RESOLVE_TICKETS);
      const leftovers = app.get<OwedTickets>(LEFTOVER_TICKETS);
      const server = app.getHttpServer();
      server.requestTimeout = REQUEST_TIMEOUT_MS;
      // Node takes the longer of the two for the whole request, and its own for headers is a minute.
      server.headersTimeout = REQUEST_TIMEOUT_MS;
      webhookRoutes(app.getHttpAdapter().getInstance(), {
        accept: {
          book: wrapBook(book, database),
          oweResolve: (scope) => resolves.owe(resolveTicket(scope)),
          oweLeftover: (provided) => leftovers.owe(leftoverTicket(provided)),
          clock: systemClock,
          remoteKeys,
          subjectHashes: (providerAppId, subjectId) => config.keys.subjectHashes(providerAppId, subjectId),
          sealCallback: (providerAppId, callback) => sealCallback(config.keys, providerAppId, callback),
        },
        providers: inboundProviders,
        onFault: (provider, error) => tellFault({ provider, error }),
        count: metrics.count,
      });
    },
    drain() {
      draining = true;
    },
    async close() {
      await book.drain();
      await upkeep.stop();
      await keyHttp.close();
      await backend.close();
      await database.close();
    },
  };
}

/** At most one call a while, so that an outage is one line and not one for each batch. */
function throttled<T>(everyMs: number, tell: (value: T) => void): (value: T) => void {
  let next = 0;
  return (value) => {
    const now = systemClock();
    if (now < next) return;
    next = now + everyMs;
    tell(value);
  };
}
