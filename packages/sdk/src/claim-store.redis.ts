import { type Claim, type ClaimKey, type ClaimStore, retentionDays } from './claim-store.js';
import { type RedisClient, redisCommand, redisScript } from './redis-client.js';

export interface RedisStoreOptions {
  /** Put before every key. Default `tributary:claim:`. */
  readonly prefix?: string;
}

const now = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;
const mine = `if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
`;
const scripts = {
  /** token, lease in ms, retention in ms */
  claim: `${now}local held = redis.call('HMGET', KEYS[1], 'token', 'at', 'claims')
if held[2] and not held[1] then return {'done', 0} end
if held[2] and tonumber(held[2]) > now then return {'in-progress', tonumber(held[2]) - now} end
local claims = redis.call('HINCRBY', KEYS[1], 'claims', 1)
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'at', now + ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'claimed', claims}`,
  /** token, lease in ms, retention in ms */
  extend: `${mine}${now}redis.call('HSET', KEYS[1], 'at', now + ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`,
  /** token, retention in ms */
  complete: `${mine}${now}redis.call('HDEL', KEYS[1], 'token')
redis.call('HSET', KEYS[1], 'at', now)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`,
  /** token */
  release: `${mine}return redis.call('DEL', KEYS[1])`,
  /** age in ms */
  purge: `${now}local at = redis.call('HGET', KEYS[1], 'at')
if at and tonumber(at) < now - ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`,
} as const;

const dayMs = 86_400_000;

/**
 * A store that all processes of a receiver share, in Redis 5 or later (Valkey too). One hash for each event, which Redis forgets by itself
 * after 31 days. Set `maxmemory-policy noeviction` there: a claim that was evicted is handled again, as is one that a fail-over lost.
 * Holds no personal data.
 */
export function redisStore(client: RedisClient, { prefix = 'tributary:claim:' }: RedisStoreOptions = {}): ClaimStore {
  const command = redisCommand(client);
  const [claim, extend, complete, release, purge] = (['claim', 'extend', 'complete', 'release', 'purge'] as const).map((name) =>
    redisScript(client, scripts[name]),
  ) as [Script, Script, Script, Script, Script];
  const keyOf = ({ endpoint, id }: ClaimKey): string => `${prefix}${JSON.stringify([endpoint, id])}`;
  const retentionMs = retentionDays * dayMs;
  const leaseMs = (seconds: number): number => Math.ceil(seconds * 1000);

  return {
    async claim(key, leaseSeconds): Promise<Claim> {
      const token = crypto.randomUUID();
      const [is, count] = (await claim(keyOf(key), token, leaseMs(leaseSeconds), retentionMs)) as [Claim['is'], number];
      if (is === 'claimed') return { is, token, takenOver: count > 1 };
      return is === 'done' ? { is } : { is, retryAfterSeconds: Math.max(1, Math.ceil(count / 1000)) };
    },
    extend: async (key, token, leaseSeconds) => (await extend(keyOf(key), token, leaseMs(leaseSeconds), retentionMs)) === 1,
    complete: async (key, token) => (await complete(keyOf(key), token, retentionMs)) === 1,
    release: async (key, token) => (await release(keyOf(key), token)) === 1,
    /** Seldom needed: Redis forgets by itself. Looks at every key of the prefix, on one node. */
    async purge(olderThanDays = retentionDays) {
      let purged = 0;
      let cursor = '0';
      do {
        const [next, keys] = (await command('SCAN', cursor, 'MATCH', `${escaped(prefix)}*`, 'COUNT', '500')) as [string, string[]];
        for (const key of keys) purged += (await purge(key, Math.ceil(olderThanDays * dayMs))) as number;
        cursor = String(next);
      } while (cursor !== '0');
      return purged;
    },
  };
}

type Script = ReturnType<typeof redisScript>;

/** As MATCH reads it. */
function escaped(prefix: string): string {
  return prefix.replace(/[\\*?[\]]/g, '\\$&');
}
