import type { DynamicModule } from '@nestjs/common';
import { type Provider, ProviderUnreachable, allowedOrigins } from '@tributary/providers';
import { type Logger, createMetrics, createProviderHttp, systemClock } from '@tributary/service-shell';
import { connect } from '@tributary/storage';
import { openTicketBackend } from '@tributary/tickets';
import { CallBudget } from './call-budget.js';
import type { WorkerContext } from './worker-context.js';
import { workerMetrics } from './worker-metrics.js';
import type { WorkerConfig } from './worker.config.js';
import { WorkerModule } from './worker.module.js';

export interface OpenWorker {
  readonly module: DynamicModule;
  readonly context: WorkerContext;
  /** From here on nothing new is begun. */
  drain(): void;
  /** After Nest: sockets, queue, database. */
  close(): Promise<void>;
}

/** From a request to the last byte of a provider's answer. A third of the lease, which is extended anyway. */
export const PROVIDER_DEADLINE_MS = 10_000;
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** Opens everything that the process holds, and hands it to the module. */
export async function openWorker(config: WorkerConfig, providers: readonly Provider[], log: Logger): Promise<OpenWorker> {
  const database = await connect({ url: config.databaseUrl, poolSize: config.poolSize, applicationName: 'tributary-worker' });
  const onError = (error: Error) => log.warn({ what: 'queue.connection_error', err: error });
  const backend = await openTicketBackend({ redisUrl: config.redisUrl, databaseUrl: config.databaseUrl, onError });
  const http = createProviderHttp({
    allowedOrigins: allowedOrigins(providers, config.sandboxUrl),
    deadlineMs: PROVIDER_DEADLINE_MS,
    maxReplyBytes: MAX_REPLY_BYTES,
    unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
  });
  const registry = createMetrics('worker');
  let draining = false;
  const isDraining = () => draining;
  const parts = {
    pool: database.pool,
    keys: config.keys,
    http,
    providers: new Map(providers.map((one) => [one.id, one])),
    publicIngestUrl: config.publicIngestUrl,
    sandboxUrl: config.sandboxUrl,
    clock: systemClock,
    monotonic: () => performance.now(),
    random: Math.random,
    log,
    metrics: workerMetrics(registry),
    leaseMs: config.leaseMs,
    slice: config.slice,
    fetches: config.fetches,
    refreshes: Math.max(1, Math.floor(config.poolSize / 3)),
    draining: isDraining,
  };
  const context: WorkerContext = { ...parts, budget: new CallBudget(parts) };
  return {
    context,
    module: WorkerModule.with({
      backend,
      context,
      health: { metrics: registry, checks: [{ name: 'postgres', check: () => database.check() }], draining: isDraining },
    }),
    drain() {
      draining = true;
    },
    async close() {
      await http.close();
      await backend.close();
      await database.close();
    },
  };
}
