import path from 'node:path';
import { ConfigError, KeyRing, databaseUrl, keys, port, readConfig, redisUrl } from '@tributary/service-shell';
import { z } from 'zod';

const shape = {
  DATABASE_URL: databaseUrl().optional(),
  REDIS_URL: redisUrl(),
  TRIBUTARY_DATA_DIR: z.string().optional(),
  TRIBUTARY_KEYS: keys()
    .refine(isKeyRing, 'expected id:base64 pairs separated by commas, each key 32 bytes (openssl rand -base64 32)')
    .optional(),
  TRIBUTARY_STARTED_AT: z.coerce.number().optional(),
  API_PORT: port().optional(),
  INGEST_PORT: port().optional(),
  WORKER_PORT: port().optional(),
  OUTBOUND_PORT: port().optional(),
  SANDBOX_PORT: port().optional(),
  RECEIVER_PORT: port().optional(),
  npm_lifecycle_event: z.string().optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], { error: 'expected one of fatal, error, warn, info, debug, trace' })
    .optional(),
};

export type PortVariable = 'API_PORT' | 'INGEST_PORT' | 'WORKER_PORT' | 'OUTBOUND_PORT' | 'SANDBOX_PORT' | 'RECEIVER_PORT';

/** Where each process listens when nothing is said. */
export const defaultPorts: Readonly<Record<PortVariable, number>> = {
  API_PORT: 4100,
  INGEST_PORT: 4101,
  WORKER_PORT: 4102,
  OUTBOUND_PORT: 4103,
  SANDBOX_PORT: 4104,
  RECEIVER_PORT: 4105,
};

export interface LocalConfig {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly dataDir: string;
  readonly keys: string | undefined;
  /** Epoch milliseconds at which `npm start` began, build included. */
  readonly startedAt: number;
  readonly ports: Readonly<Partial<Record<PortVariable, number>>>;
  readonly logLevel: string;
  /** Whether npm started us, and so stands between us and whoever wants us to stop. */
  readonly underNpm: boolean;
}

/** @throws ConfigError */
export function localConfig(root: string, env: NodeJS.ProcessEnv, now: number): LocalConfig {
  const read = readConfig(shape, env);
  const dataDir = path.resolve(root, read.TRIBUTARY_DATA_DIR ?? '.tributary');
  if (read.DATABASE_URL !== undefined && read.TRIBUTARY_KEYS === undefined && env['NODE_ENV'] === 'production') {
    throw new ConfigError(
      'TRIBUTARY_KEYS is not set. A database that outlives this folder needs keys that do too: TRIBUTARY_KEYS="k1:$(openssl rand -base64 32)"',
    );
  }
  const names = Object.keys(defaultPorts) as PortVariable[];
  return {
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    dataDir,
    keys: read.TRIBUTARY_KEYS,
    startedAt: read.TRIBUTARY_STARTED_AT ?? now,
    ports: Object.fromEntries(names.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]]]))),
    logLevel: read.LOG_LEVEL ?? 'info',
    underNpm: read.npm_lifecycle_event === 'start',
  };
}

function isKeyRing(text: string): boolean {
  try {
    return new KeyRing(text) instanceof KeyRing;
  } catch {
    return false;
  }
}
