import { ConfigError, KeyRing, databaseUrl, keys, port, readConfig, redisUrl } from '@tributary/service-shell';
import { z } from 'zod';
import { parseNetworks } from './allowed-address.js';

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const shape = {
  HOST: z.string().default('127.0.0.1'),
  OUTBOUND_PORT: port().default(4103),
  LOG_LEVEL: z.enum(levels, { error: `expected one of ${levels.join(', ')}` }).default('info'),
  DATABASE_URL: databaseUrl(),
  REDIS_URL: redisUrl(),
  TRIBUTARY_KEYS: keys(),
  OUTBOUND_ALLOW_NETWORKS: z.string().default(''),
  NODE_ENV: z.string().optional(),
};

export interface OutboundConfig {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly keys: KeyRing;
  /** Networks that may be sent to although they are private, e.g. `127.0.0.0/8`. Development only. */
  readonly allowNetworks: readonly string[];
}

/** @throws ConfigError naming every faulty variable. */
export function outboundConfig(env: NodeJS.ProcessEnv): OutboundConfig {
  const given = readConfig(shape, env);
  if (given.OUTBOUND_ALLOW_NETWORKS !== '' && given.NODE_ENV === 'production') {
    throw new ConfigError(
      'OUTBOUND_ALLOW_NETWORKS is set while NODE_ENV is production: customers could then reach into your own network. Unset it.',
    );
  }
  return {
    host: given.HOST,
    port: given.OUTBOUND_PORT,
    logLevel: given.LOG_LEVEL,
    databaseUrl: given.DATABASE_URL,
    redisUrl: given.REDIS_URL,
    keys: told('TRIBUTARY_KEYS', () => new KeyRing(given.TRIBUTARY_KEYS)),
    allowNetworks: told('OUTBOUND_ALLOW_NETWORKS', () => parseNetworks(given.OUTBOUND_ALLOW_NETWORKS)),
  };
}

function told<T>(variable: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ConfigError(`The environment is not usable:\n  ${variable}: ${(error as Error).message}`);
  }
}
