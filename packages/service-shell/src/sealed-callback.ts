import type { KeyRing } from './key-ring.js';

/** An address at which a provider shows what it told of somebody. It holds a key, so it stands in a table only as sealed bytes. */
export interface Callback {
  readonly url: string;
  readonly subjectId: string;
}

/** First byte of everything that a key ring seals; the data that notices carry is JSON, which never begins with it. */
const SEALED = 1;

const contextOf = (providerAppId: string): string => `webhook_notice.carried:${providerAppId}`;

/** What a notice carries in the place of data: opens only for notices of the same app. */
export function sealCallback(keys: KeyRing, providerAppId: string, { url, subjectId }: Callback): Buffer {
  return keys.seal(JSON.stringify([url, subjectId]), contextOf(providerAppId));
}

/**
 * Addresses and data of what the notices of one window carried, each in its order. An address whose key has left the ring is lost: it would be
 * too old to be honoured anyway.
 */
export function openCarried(
  keys: KeyRing,
  providerAppId: string,
  carried: readonly Buffer[],
): { readonly data: readonly Buffer[]; readonly callbacks: readonly Callback[] } {
  const data = carried.filter((bytes) => bytes[0] !== SEALED);
  const callbacks = carried.flatMap((bytes): Callback[] => {
    if (bytes[0] !== SEALED) return [];
    try {
      const [url, subjectId] = JSON.parse(keys.open(bytes, contextOf(providerAppId))) as [string, string];
      return [{ url, subjectId }];
    } catch {
      return [];
    }
  });
  return { data, callbacks };
}
