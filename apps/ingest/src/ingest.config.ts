import { ConfigError, KeyRing, databaseUrl, httpUrl, keys, port, readConfig, redisUrl, whole } from '@tributary/service-shell';
import { z } from 'zod';
import type { BatchLimits } from './batcher.js';

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const MIB = 1_048_576;

const shape = {
  HOST: z.string().default('127.0.0.1'),
  INGEST_PORT: port().default(4101),
  LOG_LEVEL: z.enum(levels, { error: `expected one of ${levels.join(', ')}` }).default('info'),
  DATABASE_URL: databaseUrl(),
  REDIS_URL: redisUrl(),
  TRIBUTARY_KEYS: keys(),
  TRIBUTARY_SANDBOX_URL: httpUrl('the address of the sandbox, or leave it unset').optional(),
  INGEST_POOL_SIZE: whole(2, 200).default(6),
  INGEST_BATCHES_IN_FLIGHT: whole(1, 16).default(2),
  INGEST_BATCH_ROWS: whole(1, 1_000).default(200),
  INGEST_WAITING_ROWS: whole(1, 1_000_000).default(10_000),
  INGEST_DEADLINE_MS: whole(100, 60_000).default(8_000),
};

export interface IngestConfig {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly keys: KeyRing;
  readonly sandboxUrl: string | undefined;
  readonly poolSize: number;
  readonly batches: BatchLimits;
}

/** @throws ConfigError naming every faulty variable. */
export function ingestConfig(env: NodeJS.ProcessEnv): IngestConfig {
  const given = readConfig(shape, env);
  return {
    host: given.HOST,
    port: given.INGEST_PORT,
    logLevel: given.LOG_LEVEL,
    databaseUrl: given.DATABASE_URL,
    redisUrl: given.REDIS_URL,
    keys: openKeys(given.TRIBUTARY_KEYS),
    sandboxUrl: given.TRIBUTARY_SANDBOX_URL,
    poolSize: given.INGEST_POOL_SIZE,
    batches: {
      inFlight: given.INGEST_BATCHES_IN_FLIGHT,
      batchItems: given.INGEST_BATCH_ROWS,
      batchBytes: 4 * MIB,
      waitingItems: given.INGEST_WAITING_ROWS,
      waitingBytes: 64 * MIB,
      deadlineMs: given.INGEST_DEADLINE_MS,
    },
  };
}

function openKeys(text: string): KeyRing {
  try {
    return new KeyRing(text);
  } catch (error) {
    throw new ConfigError(`The environment is not usable:\n  TRIBUTARY_KEYS: ${(error as Error).message}`);
  }
}
