import type { EnvironmentName, Scope } from '@tributary/domain';
import type { KeyRing } from '@tributary/service-shell';
import { z } from 'zod';

/** A link may wait in a message for a while; the consents that begin with it are short. */
export const LINK_LIFETIME_S = 3_600;

const CONTEXT = 'connect-link';
const place = z.tuple([z.string(), z.enum(['live', 'test']), z.string()]);

export interface NamedLink extends Scope {
  readonly id: string;
}

/** What stands in the address: sealed, so that nobody makes or changes one, and kept nowhere. */
export function sealLink(keys: KeyRing, { tenantId, environment, id }: NamedLink): string {
  return keys.seal(JSON.stringify([tenantId, environment, id]), CONTEXT).toString('base64url');
}

/** @returns undefined for what we did not seal, to the letter. */
export function openLink(keys: KeyRing, token: string): NamedLink | undefined {
  const sealed = Buffer.from(token, 'base64url');
  // Decoding forgives what it should not.
  if (sealed.toString('base64url') !== token) return undefined;
  try {
    const [tenantId, environment, id] = place.parse(JSON.parse(keys.open(sealed, CONTEXT)));
    return { tenantId, environment: environment satisfies EnvironmentName, id };
  } catch {
    return undefined;
  }
}

export function linkPath(keys: KeyRing, link: NamedLink): string {
  return `/connect/page?link=${sealLink(keys, link)}`;
}
