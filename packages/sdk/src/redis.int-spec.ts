import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { eventOf, provesRecordBook } from '../testing/record-suite.js';
import { provesClaimStoreAcrossProcesses } from '../testing/store-processes.js';
import { provesClaimStore } from '../testing/store-suite.js';
import { type RedisClient, redisRecords, redisStore } from './redis.js';
import { redisCommand } from './redis-client.js';

// Where there is no Redis, the run says so once (test/README.md) and these are not defined.
const url = process.env.TEST_REDIS_URL;
const prefix = `sdk-${process.pid}:`;
const kinds: [string, (redisUrl: string) => Promise<{ client: RedisClient; close: () => Promise<unknown> }>][] = [
  [
    'redis',
    async (redisUrl) => {
      const client = createClient({ url: redisUrl });
      await client.connect();
      return { client, close: () => client.close() };
    },
  ],
  [
    'ioredis',
    async (redisUrl) => {
      const client = new Redis(redisUrl, { lazyConnect: true });
      await client.connect();
      return { client, close: () => client.quit() };
    },
  ],
];

for (const [kind, open] of url === undefined ? [] : kinds) {
  const mine = `${prefix}${kind}:`;
  const claimsAt = { prefix: `${mine}[claim]*:` };
  const closes: (() => Promise<unknown>)[] = [];
  const clients: RedisClient[] = [];
  const command = (...args: [string, ...string[]]) => redisCommand(clients[0] as RedisClient)(...args);

  describe(`with ${kind}`, () => {
    beforeAll(async () => {
      for (let n = 0; n < 2; n++) {
        const { client, close } = await open(url as string);
        clients.push(client);
        closes.push(close);
      }
    });
    afterAll(async () => {
      const keys = (await command('KEYS', `${mine}*`)) as string[];
      if (keys.length > 0) await command('DEL', ...keys);
      for (const close of closes) await close();
    });

    provesClaimStore('the Redis store', () => ({
      stores: [redisStore(clients[0] as RedisClient, claimsAt), redisStore(clients[1] as RedisClient, claimsAt)],
      pass: async (ms) => void (await sleep(ms)),
      age: async (days) => {
        const keys = (await command('KEYS', `${mine}\\[claim\\]\\*:*`)) as string[];
        let gone = 0;
        for (const key of keys) {
          const left = Number(await command('PTTL', key)) - days * 86_400_000;
          if (left <= 0) gone += Number(await command('DEL', key));
          else {
            await command('PEXPIRE', key, String(left));
            await command('HINCRBY', key, 'at', String(-days * 86_400_000));
          }
        }
        return gone;
      },
    }));

    provesClaimStoreAcrossProcesses('the Redis store', () => [kind, url as string, `${mine}processes:`]);

    it('lets Redis forget a claim after 31 days by itself', async () => {
      const store = redisStore(clients[0] as RedisClient, { prefix: `${mine}ttl:` });
      const key = { endpoint: 'main', id: 'evt_ttl' };
      const claim = await store.claim(key, 30);
      const days = async () => Number(await command('PTTL', `${mine}ttl:["main","evt_ttl"]`)) / 86_400_000;
      expect(await days()).toBeCloseTo(31, 2);
      await store.complete(key, (claim as { token: string }).token);
      expect(await days()).toBeCloseTo(31, 2);
    });

    it('opens nothing to the token of a claim that Redis lost, and gives the event to the next', async () => {
      const store = redisStore(clients[0] as RedisClient, { prefix: `${mine}lost:` });
      const key = { endpoint: 'main', id: 'evt_lost' };
      const { token } = (await store.claim(key, 30)) as { token: string };
      await command('DEL', `${mine}lost:["main","evt_lost"]`);
      expect([await store.extend(key, token, 30), await store.complete(key, token), await store.release(key, token)]).toEqual([
        false,
        false,
        false,
      ]);
      expect(await command('EXISTS', `${mine}lost:["main","evt_lost"]`)).toBe(0);
      expect(await store.claim(key, 30)).toMatchObject({ is: 'claimed', takenOver: false });
    });

    provesRecordBook(
      'the Redis book',
      () => {
        const book = redisRecords(clients[0] as RedisClient, { prefix: `${mine}person:` });
        return {
          book,
          held: async (userId) =>
            (await book.list(userId)).map(({ key, revision, data }) => ({
              at: `${key.provider}/${key.metric}/${key.item}`,
              localDate: data.localDate,
              revision,
            })),
        };
      },
      15,
    );

    it('keeps of an erased person the mark alone', async () => {
      const book = redisRecords(clients[0] as RedisClient, { prefix: `${mine}person:` });
      const user = { id: 'usr_gone', externalId: 'x' };
      await book.applyIfNewer(eventOf('daily.updated', { user, revision: 4_503_599_627_370_497 }));
      expect(await book.applyIfNewer(eventOf('daily.updated', { user, revision: 4_503_599_627_370_496 }))).toBe('stale');
      expect(await book.list('usr_gone')).toMatchObject([{ revision: 4_503_599_627_370_497 }]);
      await book.applyIfNewer(eventOf('user.erased', { user }));
      expect(await command('HLEN', `${mine}person:usr_gone`)).toBe(1);
      expect(await command('PTTL', `${mine}person:usr_gone`)).toBe(-1);
    });
  });
}

describe('what is no Redis client', () => {
  it('is refused when the store is made', () => {
    expect(() => redisStore({} as RedisClient)).toThrow(TypeError);
  });
});
