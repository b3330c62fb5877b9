import { z } from 'zod';

/** The environment of the process is wrong. Its message lists every fault: which variable, what is wrong, what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the environment once and whole. Keys of the shape are names of variables; an empty variable counts as not set.
 * @throws ConfigError naming every faulty variable; values are never shown, since they may be secrets.
 */
export function readConfig<S extends z.ZodRawShape>(shape: S, env: NodeJS.ProcessEnv): z.infer<z.ZodObject<S>> {
  const given = Object.fromEntries(Object.keys(shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const result = z.object(shape).safeParse(given);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(`The environment is not usable:\n${faults.join('\n')}`);
}

const textNumber = (name: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `expected ${name}`)
    .transform(Number)
    .pipe(z.number().min(min, `expected ${name}`).max(max, `expected ${name}`));

/** A TCP port; 0 means any free one. */
export const port = () => textNumber('a port from 0 to 65535', 0, 65_535);

export const whole = (min: number, max: number) => textNumber(`a whole number from ${min} to ${max}`, min, max);

export const databaseUrl = () =>
  z
    .string({ error: 'is not set; give a PostgreSQL address such as postgres://user:password@host:5432/tributary' })
    .refine(
      (text) => ['postgres:', 'postgresql:'].includes(protocolOf(text) ?? ''),
      'is not a PostgreSQL address; expected postgres://user:password@host:5432/name',
    );

export const redisUrl = () =>
  z
    .string()
    .refine(
      (text) => ['redis:', 'rediss:'].includes(protocolOf(text) ?? ''),
      'is not a Redis address; expected redis://host:6379, or leave it unset to queue on PostgreSQL',
    )
    .optional();

export const httpUrl = (purpose: string) =>
  z
    .string({ error: `is not set; give ${purpose}` })
    .refine((text) => ['http:', 'https:'].includes(protocolOf(text) ?? ''), `is not a web address; give ${purpose}`)
    .transform((text) => text.replace(/\/+$/, ''));

export const keys = () =>
  z.string({ error: 'is not set; give id:base64key, the key 32 random bytes: TRIBUTARY_KEYS="k1:$(openssl rand -base64 32)"' });

/** `URL.parse` came with Node 22. */
function protocolOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).protocol : undefined;
}
