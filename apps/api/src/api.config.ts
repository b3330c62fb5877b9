import { ConfigError, KeyRing, databaseUrl, httpUrl, keys, port, readConfig, redisUrl, whole } from '@tributary/service-shell';
import { z } from 'zod';

export interface ApiConfig {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly keys: KeyRing;
  /** Where customers and people's browsers reach us; no trailing slash. */
  readonly publicApiUrl: string;
  /** Where providers reach `ingest`; no trailing slash. */
  readonly publicIngestUrl: string;
  readonly sandboxUrl: string | undefined;
  readonly poolSize: number;
  /** Of one API key. */
  readonly requestsPerMinute: number;
}

/** @throws ConfigError naming every faulty variable. */
export function apiConfig(env: NodeJS.ProcessEnv): ApiConfig {
  const read = readConfig(
    {
      HOST: z.string().default('127.0.0.1'),
      API_PORT: port().default(4100),
      LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
      DATABASE_URL: databaseUrl(),
      REDIS_URL: redisUrl(),
      TRIBUTARY_KEYS: keys(),
      PUBLIC_API_URL: httpUrl('the address at which browsers reach the API, such as https://api.example.com').optional(),
      PUBLIC_INGEST_URL: httpUrl('the address at which providers reach ingest, such as https://hooks.example.com').default(
        'http://127.0.0.1:4101',
      ),
      TRIBUTARY_SANDBOX_URL: httpUrl('the address of the sandbox, such as http://127.0.0.1:4104').optional(),
      API_POOL_SIZE: whole(1, 200).default(8),
      API_REQUESTS_PER_MINUTE: whole(1, 100_000_000).default(6_000),
    },
    env,
  );
  return {
    host: read.HOST,
    port: read.API_PORT,
    logLevel: read.LOG_LEVEL,
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    keys: openKeys(read.TRIBUTARY_KEYS),
    publicApiUrl: read.PUBLIC_API_URL ?? `http://127.0.0.1:${read.API_PORT}`,
    publicIngestUrl: read.PUBLIC_INGEST_URL,
    sandboxUrl: read.TRIBUTARY_SANDBOX_URL,
    poolSize: read.API_POOL_SIZE,
    requestsPerMinute: read.API_REQUESTS_PER_MINUTE,
  };
}

function openKeys(text: string): KeyRing {
  try {
    return new KeyRing(text);
  } catch (error) {
    throw new ConfigError(`The environment is not usable:\n  TRIBUTARY_KEYS: ${(error as Error).message}`);
  }
}
