import { parseArgs } from 'node:util';
import { ConfigError } from '@tributary/service-shell';

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

type Values<T extends Options> = { readonly [Name in keyof T]?: T[Name]['type'] extends 'boolean' ? boolean : string };

/** Options alone: no command takes a word without one. @throws ConfigError that says what is wrong, and the usage. */
export function readOptions<const T extends Options>(args: readonly string[], options: T, usage: string): Values<T> {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}\n\n${usage}`);
  }
}
