import type { DynamicModule } from '@nestjs/common';
import { type Provider, ProviderUnreachable, allowedOrigins } from '@tributary/providers';
import { type Clock, type Logger, createMetrics, createProviderHttp, systemClock } from '@tributary/service-shell';
import { connect, endKeptAnswers, scopedPool } from '@tributary/storage';
import { openTicketBackend } from '@tributary/tickets';
import type { ApiConfig } from './api.config.js';
import { ApiModule } from './api.module.js';
import { RateLimits } from './rate-limits/rate-limits.js';
import { accessNow, visibleRows } from './tenancy/request-access.js';

/** Longer than the ten seconds that a provider may take for a handshake with us in the middle of a call. */
const PROVIDER_DEADLINE_MS = 15_000;

/** For what people do without a key: a consent now and then. */
const OWNER_POOL_SIZE = 2;

const END_ANSWERS_EVERY_MS = 600_000;
const ENDED_AT_ONCE = 5_000;

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
  const name = { url: config.databaseUrl, applicationName: 'tributary-api' };
  const owner = await connect({ ...name, poolSize: OWNER_POOL_SIZE });
  const database = await connect({ ...name, poolSize: config.poolSize, visibleRows }).catch(async (error: unknown) => {
    await owner.close();
    throw error;
  });
  const pool = scopedPool(() => (accessNow().is === 'person' ? owner.pool : database.pool));
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
  const ending = setInterval(() => {
    endKeptAnswers(owner.pool, ENDED_AT_ONCE).catch((error: unknown) => log.warn({ what: 'idempotency.cleanup_failed', err: error }));
  }, END_ANSWERS_EVERY_MS).unref();
  let draining = false;
  const { keys, publicApiUrl, publicIngestUrl, sandboxUrl } = config;
  return {
    module: ApiModule.with(
      {
        pool,
        keys,
        limits: new RateLimits(config.requestsPerMinute, backend.redis),
        now,
        log,
        http,
        providers,
        publicApiUrl,
        publicIngestUrl,
        sandboxUrl,
      },
      { metrics: createMetrics('api'), checks: [{ name: 'database', check: () => database.check() }], draining: () => draining },
      backend,
    ),
    drain() {
      draining = true;
    },
    async close() {
      clearInterval(ending);
      await http.close();
      await backend.close();
      await database.close();
      await owner.close();
    },
  };
}
