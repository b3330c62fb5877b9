import type { DynamicModule } from '@nestjs/common';
import { type Provider, ProviderUnreachable, allowedOrigins } from '@tributary/providers';
import { type Clock, type Logger, createMetrics, createProviderHttp, systemClock } from '@tributary/service-shell';
import { connect } from '@tributary/storage';
import { openTicketBackend } from '@tributary/tickets';
import type { ApiConfig } from './api.config.js';
import { ApiModule } from './api.module.js';

/** Longer than the ten seconds that a provider may take for a handshake with us in the middle of a call. */
const PROVIDER_DEADLINE_MS = 15_000;

export interface OpenApi {
  readonly module: DynamicModule;
  /** From here on not ready any more. */
  drain(): void;
  /** After Nest: sockets, queue, database. */
  close(): Promise<void>;
}

/** Opens everything that the process holds, and hands it to the module. */
export async function openApi(
  config: ApiConfig,
  log: Logger,
  providers: ReadonlyMap<string, Provider>,
  now: Clock = systemClock,
): Promise<OpenApi> {
  const database = await connect({ url: config.databaseUrl, poolSize: config.poolSize, applicationName: 'tributary-api' });
  const backend = await openTicketBackend({
    redisUrl: config.redisUrl,
    databaseUrl: config.databaseUrl,
    onError: (error) => log.warn({ what: 'queue.connection_error', err: error }),
  });
  const http = createProviderHttp({
    allowedOrigins: allowedOrigins(providers.values(), config.sandboxUrl),
    deadlineMs: PROVIDER_DEADLINE_MS,
    maxReplyBytes: 5_000_000,
    unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
  });
  let draining = false;
  const { keys, publicApiUrl, publicIngestUrl, sandboxUrl } = config;
  return {
    module: ApiModule.with(
      { pool: database.pool, keys, now, log, http, providers, publicApiUrl, publicIngestUrl, sandboxUrl },
      { metrics: createMetrics('api'), checks: [{ name: 'database', check: () => database.check() }], draining: () => draining },
      backend,
    ),
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
