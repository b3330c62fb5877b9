import type { DynamicModule } from '@nestjs/common';
import { type Logger, createMetrics, systemClock } from '@tributary/service-shell';
import { connect, keepAttemptPartitions } from '@tributary/storage';
import { openTicketBackend } from '@tributary/tickets';
import { addressPolicy } from './allowed-address.js';
import { startAttemptUpkeep } from './attempt-upkeep.js';
import type { OutboundConfig } from './outbound.config.js';
import { OutboundModule } from './outbound.module.js';
import { outboundMetrics } from './outbound-metrics.js';
import { createPoster, limits } from './post-to-endpoint.js';
import { createResolver } from './resolve-host.js';

export interface OpenOutbound {
  readonly module: DynamicModule;
  /** From here on nothing new is begun. */
  drain(): void;
  /** After Nest: sockets, database, queue. */
  close(): Promise<void>;
}

/** Four for each of two cores: more bring nothing. */
const POOL_SIZE = 8;
const DNS_TIMEOUT_MS = 3_000;

/** Opens everything that the process holds, and hands it to the module. */
export async function openOutbound(config: OutboundConfig, log: Logger, deadlineMs: number = limits.deadlineMs): Promise<OpenOutbound> {
  const database = await connect({ url: config.databaseUrl, poolSize: POOL_SIZE, applicationName: 'tributary-outbound' });
  const onError = (error: Error) => log.warn({ what: 'queue.connection_error', err: error });
  const backend = await openTicketBackend({ redisUrl: config.redisUrl, databaseUrl: config.databaseUrl, onError });
  const registry = createMetrics('outbound');
  const resolve = createResolver({ timeoutMs: DNS_TIMEOUT_MS });
  const poster = createPoster({ policy: addressPolicy(config.allowNetworks), resolve, clock: systemClock, deadlineMs });
  const upkeep = startAttemptUpkeep({ keep: (now) => keepAttemptPartitions(database.pool, now), clock: systemClock, log });
  let draining = false;
  const isDraining = () => draining;
  return {
    module: OutboundModule.with({
      backend,
      health: { metrics: registry, checks: [{ name: 'postgres', check: () => database.check() }], draining: isDraining },
      slice: {
        pool: database.pool,
        keys: config.keys,
        poster,
        deadlineMs,
        clock: systemClock,
        random: Math.random,
        log,
        metrics: outboundMetrics(registry),
        draining: isDraining,
      },
    }),
    drain() {
      draining = true;
    },
    async close() {
      await poster.close();
      await upkeep.stop();
      await backend.close();
      await database.close();
    },
  };
}
