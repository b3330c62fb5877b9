import { ConfigError, KeyRing, databaseUrl, httpUrl, keys, port, readConfig, redisUrl, whole } from '@tributary/service-shell';
import { z } from 'zod';

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const shape = {
  HOST: z.string().default('127.0.0.1'),
  WORKER_PORT: port().default(4102),
  LOG_LEVEL: z.enum(levels, { error: `expected one of ${levels.join(', ')}` }).default('info'),
  DATABASE_URL: databaseUrl(),
  REDIS_URL: redisUrl(),
  TRIBUTARY_KEYS: keys(),
  PUBLIC_INGEST_URL: httpUrl('the address at which providers reach ingest, such as https://hooks.example.com').default(
    'http://127.0.0.1:4101',
  ),
  TRIBUTARY_SANDBOX_URL: httpUrl('the address of the sandbox, such as http://127.0.0.1:4104').optional(),
  WORKER_LEASE_MS: whole(1_000, 600_000).default(30_000),
  WORKER_SLICE: whole(1, 500).default(32),
  WORKER_FETCHES: whole(1, 128).default(16),
  WORKER_POOL_SIZE: whole(4, 200).default(12),
};

export interface WorkerConfig {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly keys: KeyRing;
  /** Without a slash at its end: what webhooks of single persons are pointed at. */
  readonly publicIngestUrl: string;
  readonly sandboxUrl: string | undefined;
  /** How long a claimed window is ours. A process that was killed delays what it held by at most this. */
  readonly leaseMs: number;
  /** Windows that one ticket claims. */
  readonly slice: number;
  /** Reads of one slice that are under way at the same moment. */
  readonly fetches: number;
  readonly poolSize: number;
}

/** @throws ConfigError naming every faulty variable. */
export function workerConfig(env: NodeJS.ProcessEnv): WorkerConfig {
  const given = readConfig(shape, env);
  let ring: KeyRing;
  try {
    ring = new KeyRing(given.TRIBUTARY_KEYS);
  } catch (error) {
    throw new ConfigError(`The environment is not usable:\n  TRIBUTARY_KEYS: ${(error as Error).message}`);
  }
  return {
    host: given.HOST,
    port: given.WORKER_PORT,
    logLevel: given.LOG_LEVEL,
    databaseUrl: given.DATABASE_URL,
    redisUrl: given.REDIS_URL,
    keys: ring,
    publicIngestUrl: given.PUBLIC_INGEST_URL,
    sandboxUrl: given.TRIBUTARY_SANDBOX_URL,
    leaseMs: given.WORKER_LEASE_MS,
    slice: given.WORKER_SLICE,
    fetches: given.WORKER_FETCHES,
    poolSize: given.WORKER_POOL_SIZE,
  };
}
