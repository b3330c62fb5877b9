import { type RecordData } from './events.js';
import { type HeldRecord } from './record-book.memory.js';
import { type Applied, type RecordBook } from './record-book.js';
import { type RecordKey, recordChangeOf } from './record-change.js';
import { type RedisClient, redisCommand, redisScript } from './redis-client.js';

export interface RedisRecordsOptions {
  /** Put before every key. Default `tributary:person:`. */
  readonly prefix?: string;
}

export interface RedisRecords extends RecordBook {
  /** What is held of one person, sorted by key; nothing of one who was erased. */
  list(userId: string): Promise<readonly HeldRecord[]>;
}

/** The mark of an erased person: no field of a record is called so, since those are JSON. */
const erasedField = 'erased';

/** One hash for each person, so that every change is a script over one key. A value is its revision, a space, and its data or nothing. */
const scripts = {
  /** field, revision, data as JSON or '' */
  replace: `if redis.call('HEXISTS', KEYS[1], '${erasedField}') == 1 then return 'erased' end
local held = redis.call('HGET', KEYS[1], ARGV[1])
if held and tonumber(string.match(held, '^%d+')) >= tonumber(ARGV[2]) then return 'stale' end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
return 'applied'`,
  erase: `redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], '${erasedField}', '1')
return 'applied'`,
} as const;

/**
 * A record book in Redis 5 or later (Valkey too). Nothing in it expires: a mark that went away would let a late value in. Set
 * `maxmemory-policy noeviction` there.
 */
export function redisRecords(client: RedisClient, { prefix = 'tributary:person:' }: RedisRecordsOptions = {}): RedisRecords {
  const command = redisCommand(client);
  const replace = redisScript(client, scripts.replace);
  const erase = redisScript(client, scripts.erase);
  return {
    async applyIfNewer(event) {
      const change = recordChangeOf(event);
      if (!change) return 'no-record';
      if (change.is === 'erase') return (await erase(prefix + change.userId)) as Applied;
      const { key, revision } = change;
      const data = change.is === 'replace' ? JSON.stringify(change.data) : '';
      return (await replace(prefix + key.userId, fieldOf(key), revision, data)) as Applied;
    },
    async list(userId) {
      const entries = pairs(await command('HGETALL', prefix + userId));
      return entries
        .filter(([field]) => field !== erasedField)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([field, value]) => heldIn(userId, field, value))
        .filter((record) => record !== undefined);
    },
  };
}

function fieldOf({ provider, metric, sourceId, item }: RecordKey): string {
  return JSON.stringify([provider, metric, sourceId, item]);
}

function heldIn(userId: string, field: string, value: string): HeldRecord | undefined {
  const space = value.indexOf(' ');
  const data = value.slice(space + 1);
  if (data === '') return undefined;
  const [provider, metric, sourceId, item] = JSON.parse(field) as [string, string, string, string];
  const key = { userId, provider, metric, sourceId, item };
  return { key, revision: Number(value.slice(0, space)), data: JSON.parse(data) as RecordData };
}

/** A hash comes as a flat list (RESP2), a Map or an object (RESP3), depending on the client. */
function pairs(reply: unknown): [string, string][] {
  if (reply instanceof Map) return [...(reply as Map<string, string>)];
  if (!Array.isArray(reply)) return Object.entries(reply as Record<string, string>);
  const flat = reply as string[];
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] as string, flat[2 * at + 1] as string]);
}
