import { hash } from 'node:crypto';
import type { EnvironmentName } from '@tributary/domain';

const SHAPE = /^trb_(live|test)_[A-Za-z0-9_-]{43}$/;

export interface MadeApiKey {
  /** Shown once, never stored. */
  readonly key: string;
  readonly prefix: string;
  readonly hash: Buffer;
}

/** @param random 32 random bytes. With that much chance in it a plain hash is enough: there is nothing to guess. */
export function makeApiKey(environment: EnvironmentName, random: Buffer): MadeApiKey {
  const key = `trb_${environment}_${random.toString('base64url')}`;
  return { key, prefix: key.slice(0, 14), hash: hashApiKey(key) };
}

export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

export function looksLikeApiKey(text: string): boolean {
  return SHAPE.test(text);
}

/** What stands after `Bearer` in an Authorization header; undefined when it is of another form. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
