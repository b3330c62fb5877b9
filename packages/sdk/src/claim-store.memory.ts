import { type Claim, type ClaimKey, type ClaimStore, retentionDays } from './claim-store.js';

interface Held {
  /** Undefined once done. */
  readonly token: string | undefined;
  /** When the lease ends, or when it was done. */
  readonly at: number;
}

/**
 * A store for tests, demos and one process that may forget everything when it ends: an event retried over a restart is handled
 * again. About 200 bytes for each event of the last 31 days.
 * @param now the clock, in milliseconds since the epoch
 */
export function memoryStore(now: () => number = Date.now): ClaimStore {
  /** In order of the last change, so that the oldest stand in front. */
  const claims = new Map<string, Held>();
  const hold = (name: string, held: Held): void => {
    claims.delete(name);
    claims.set(name, held);
  };
  const holds = (key: ClaimKey, token: string): boolean => claims.get(nameOf(key))?.token === token;
  const purge = (olderThanDays: number): number => {
    const before = now() - olderThanDays * 86_400_000;
    let purged = 0;
    for (const [name, held] of claims) if (held.at < before && claims.delete(name)) purged++;
    return purged;
  };
  let purgeAt = now() + 3_600_000;

  return {
    async claim(key, leaseSeconds): Promise<Claim> {
      if (now() >= purgeAt) {
        purge(retentionDays);
        purgeAt = now() + 3_600_000;
      }
      const held = claims.get(nameOf(key));
      if (held && held.token === undefined) return { is: 'done' };
      if (held && held.at > now()) return { is: 'in-progress', retryAfterSeconds: Math.max(1, Math.ceil((held.at - now()) / 1000)) };
      const token = crypto.randomUUID();
      hold(nameOf(key), { token, at: now() + leaseSeconds * 1000 });
      return { is: 'claimed', token, takenOver: held !== undefined };
    },
    async extend(key, token, leaseSeconds) {
      if (!holds(key, token)) return false;
      hold(nameOf(key), { token, at: now() + leaseSeconds * 1000 });
      return true;
    },
    async complete(key, token) {
      if (!holds(key, token)) return false;
      hold(nameOf(key), { token: undefined, at: now() });
      return true;
    },
    async release(key, token) {
      return holds(key, token) && claims.delete(nameOf(key));
    },
    async purge(olderThanDays = retentionDays) {
      return purge(olderThanDays);
    },
  };
}

function nameOf(key: ClaimKey): string {
  return JSON.stringify([key.endpoint, key.id]);
}
