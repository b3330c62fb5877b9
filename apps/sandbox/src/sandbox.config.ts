import { port, readConfig } from '@tributary/service-shell';
import { z } from 'zod';

export interface SandboxConfig {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
}

/** @throws ConfigError naming every faulty variable. */
export function sandboxConfig(env: NodeJS.ProcessEnv): SandboxConfig {
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
  const given = readConfig(
    {
      SANDBOX_PORT: port().default(4104),
      HOST: z.string().default('127.0.0.1'),
      LOG_LEVEL: z.enum(levels, { error: `expected one of ${levels.join(', ')}` }).default('info'),
    },
    env,
  );
  return { host: given.HOST, port: given.SANDBOX_PORT, logLevel: given.LOG_LEVEL };
}
