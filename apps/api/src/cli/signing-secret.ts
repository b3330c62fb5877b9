import { randomBytes } from 'node:crypto';
import { ConfigError } from '@tributary/service-shell';

export interface SigningSecret {
  readonly text: string;
  readonly key: Buffer;
}

/** @param given `whsec_` and standard base64; undefined: a new one. @throws ConfigError that does not show it. */
export function signingSecret(given: string | undefined): SigningSecret {
  if (given === undefined) {
    const key = randomBytes(32);
    return { text: `whsec_${key.toString('base64')}`, key };
  }
  const base64 = given.startsWith('whsec_') ? given.slice('whsec_'.length) : '';
  const key = Buffer.from(base64, 'base64');
  if (key.length < 16 || key.toString('base64') !== base64)
    throw new ConfigError('--secret: give whsec_ followed by the standard base64 of at least 16 bytes');
  return { text: given, key };
}
