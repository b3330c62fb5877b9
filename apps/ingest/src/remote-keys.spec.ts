import { describe, expect, it } from '@jest/globals';
import { ProviderUnreachable, type ProviderHttp } from '@tributary/providers';
import { keepRemoteKeys } from './remote-keys.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const URL = 'https://keys.example/set.json';

/** A page of keys whose answers a test lets go one by one; each answer is the number of its request. */
function page() {
  const asked: string[] = [];
  const gates: ((status: number) => void)[] = [];
  const clock = { now: 1_796_000_000_000 };
  const http: ProviderHttp = {
    send: ({ url }) => {
      const n = asked.push(url);
      return new Promise((resolve, reject) => {
        gates.push((status) =>
          status === 0 ? reject(new ProviderUnreachable('refused')) : resolve({ status, headers: {}, body: Buffer.from(`set ${n}`) }),
        );
      });
    },
  };
  const answer = async <T>(status: number, waiting: Promise<T>) => {
    gates.shift()?.(status);
    return waiting;
  };
  return { keys: keepRemoteKeys(http, () => clock.now), asked, clock, answer };
}

describe('a remote key set', () => {
  it('is fetched once for all who ask at the same moment, and from memory after that', async () => {
    const { keys, asked, answer } = page();
    const all = Promise.all([keys.current(URL), keys.current(URL), keys.renewed(URL)]);
    expect(await answer(200, all)).toEqual(['set 1', 'set 1', 'set 1']);
    expect(await keys.current(URL)).toBe('set 1');
    expect(asked).toEqual([URL]);
  });

  it('is renewed for a key that is not in it, at most once a minute however many name such a key', async () => {
    const { keys, asked, clock, answer } = page();
    await answer(200, keys.current(URL));
    expect(await Promise.all(Array.from({ length: 100 }, () => keys.renewed(URL)))).toEqual(Array(100).fill(undefined));
    clock.now += MINUTE - 1;
    expect(await keys.renewed(URL)).toBeUndefined();
    clock.now += 1;
    const flood = Promise.all(Array.from({ length: 100 }, () => keys.renewed(URL)));
    expect(await answer(200, flood)).toEqual(Array(100).fill('set 2'));
    expect(await keys.current(URL)).toBe('set 2');
    expect(asked.length).toBe(2);
  });

  it('is fetched again after a day, so that a key which was withdrawn ends', async () => {
    const { keys, asked, clock, answer } = page();
    await answer(200, keys.current(URL));
    clock.now += DAY - 1;
    expect(await keys.current(URL)).toBe('set 1');
    clock.now += 1;
    expect(await answer(200, keys.current(URL))).toBe('set 2');
    expect(asked.length).toBe(2);
  });

  for (const [what, status] of [
    ['cannot be reached', 0],
    ['answers 500', 500],
  ] as const) {
    it(`still proves while its page ${what}, and is asked for again only after a minute`, async () => {
      const { keys, asked, clock, answer } = page();
      await answer(200, keys.current(URL));
      clock.now += DAY;
      expect(await answer(status, keys.current(URL))).toBe('set 1');
      expect(await keys.current(URL)).toBe('set 1');
      expect(asked.length).toBe(2);
      clock.now += MINUTE;
      expect(await answer(200, keys.current(URL))).toBe('set 3');
    });
  }

  it('that was never fetched is a fault to be told, and the next delivery asks again', async () => {
    const { keys, answer } = page();
    await expect(answer(0, keys.current(URL))).rejects.toThrow(ProviderUnreachable);
    expect(await answer(200, keys.current(URL))).toBe('set 2');
  });

  it('of one address is never another’s', async () => {
    const { keys, asked, answer } = page();
    await answer(200, keys.current(URL));
    expect(await answer(200, keys.current(`${URL}?other`))).toBe('set 2');
    expect(asked).toEqual([URL, `${URL}?other`]);
  });
});
