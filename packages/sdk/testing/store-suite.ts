import { describe, expect, it } from '@jest/globals';
import { type Claim, type ClaimStore } from '../src/claim-store.js';

export interface StoreUnderTest {
  /** A second one sees what the first did: they may be of two processes. */
  readonly stores: readonly [ClaimStore, ClaimStore];
  /** Lets this much time pass on the store's clock. */
  pass(ms: number): Promise<void>;
  /** Makes everything that is in the store so many days older. The result: how many claims the store forgot by itself over that. */
  age(days: number): Promise<number>;
}

const leaseSeconds = 0.2;
const longEnough = 300;
let made = 0;

/** What every claim store must survive; passing it is what makes one. */
export function provesClaimStore(name: string, underTest: () => StoreUnderTest): void {
  const fresh = () => ({ endpoint: 'main', id: `evt_${++made}` });
  const tokenOf = (claim: Claim): string => {
    expect(claim.is).toBe('claimed');
    return (claim as { token: string }).token;
  };

  describe(name, () => {
    it('gives a new event to the first who asks, and tells the next to wait', async () => {
      const [a, b] = underTest().stores;
      const key = fresh();
      expect(await a.claim(key, 30)).toMatchObject({ is: 'claimed', takenOver: false });
      const waiting = await b.claim(key, 30);
      expect(waiting).toEqual({ is: 'in-progress', retryAfterSeconds: expect.any(Number) });
      expect((waiting as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThanOrEqual(29);
      expect((waiting as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(30);
    });

    it('gives it to one alone when many ask at the same moment', async () => {
      const { stores } = underTest();
      for (let round = 0; round < 10; round++) {
        const key = fresh();
        const claims = await Promise.all(Array.from({ length: 8 }, (_, n) => (stores[n % 2] as ClaimStore).claim(key, 30)));
        expect(claims.map((claim) => claim.is).sort()).toEqual(['claimed', ...Array<string>(7).fill('in-progress')]);
      }
    });

    it('remembers what was completed, for every later attempt', async () => {
      const [a, b] = underTest().stores;
      const key = fresh();
      expect(await a.complete(key, tokenOf(await a.claim(key, 30)))).toBe(true);
      expect(await b.claim(key, 30)).toEqual({ is: 'done' });
      expect(await a.claim(key, 30)).toEqual({ is: 'done' });
    });

    it('still knows it is done when the lease would have ended', async () => {
      const {
        stores: [a],
        pass,
      } = underTest();
      const key = fresh();
      await a.complete(key, tokenOf(await a.claim(key, leaseSeconds)));
      await pass(longEnough);
      expect(await a.claim(key, 30)).toEqual({ is: 'done' });
    });

    it('lets another take over from a holder that died between claim and completion, once', async () => {
      const {
        stores: [a, b],
        pass,
      } = underTest();
      const key = fresh();
      const dead = tokenOf(await a.claim(key, leaseSeconds));
      await pass(longEnough);
      const claims = await Promise.all([a.claim(key, 30), b.claim(key, 30), a.claim(key, 30), b.claim(key, 30)]);
      expect(claims.map((claim) => claim.is).sort()).toEqual(['claimed', 'in-progress', 'in-progress', 'in-progress']);
      const heir = claims.find((claim) => claim.is === 'claimed') as Claim;
      expect(heir).toMatchObject({ takenOver: true });
      expect(tokenOf(heir)).not.toBe(dead);
    });

    it('opens nothing to the token of a holder that woke up too late', async () => {
      const {
        stores: [a, b],
        pass,
      } = underTest();
      const key = fresh();
      const late = tokenOf(await a.claim(key, leaseSeconds));
      await pass(longEnough);
      const heir = tokenOf(await b.claim(key, 30));
      expect(await a.extend(key, late, 30)).toBe(false);
      expect(await a.release(key, late)).toBe(false);
      expect(await a.complete(key, late)).toBe(false);
      expect(await a.claim(key, 30)).toMatchObject({ is: 'in-progress' });
      expect(await b.complete(key, heir)).toBe(true);
      expect(await a.complete(key, late)).toBe(false);
      expect(await a.release(key, late)).toBe(false);
      expect(await a.claim(key, 30)).toEqual({ is: 'done' });
    });

    it('takes the completion of a holder whose lease ended and whom nobody followed', async () => {
      const {
        stores: [a],
        pass,
      } = underTest();
      const key = fresh();
      const token = tokenOf(await a.claim(key, leaseSeconds));
      await pass(longEnough);
      expect(await a.complete(key, token)).toBe(true);
      expect(await a.claim(key, 30)).toEqual({ is: 'done' });
    });

    it('holds on for a holder that extends its lease', async () => {
      const {
        stores: [a, b],
        pass,
      } = underTest();
      const key = fresh();
      const token = tokenOf(await a.claim(key, leaseSeconds));
      expect(await a.extend(key, token, 30)).toBe(true);
      await pass(longEnough);
      expect(await b.claim(key, 30)).toMatchObject({ is: 'in-progress' });
      expect(await a.complete(key, token)).toBe(true);
    });

    it('gives an event that was released to the next at once', async () => {
      const [a, b] = underTest().stores;
      const key = fresh();
      expect(await a.release(key, tokenOf(await a.claim(key, 30)))).toBe(true);
      expect(await b.claim(key, 30)).toMatchObject({ is: 'claimed' });
    });

    it('tells one endpoint from another, and one event from another', async () => {
      const [a] = underTest().stores;
      const key = fresh();
      await a.complete(key, tokenOf(await a.claim(key, 30)));
      expect(await a.claim({ ...key, endpoint: 'second' }, 30)).toMatchObject({ is: 'claimed' });
      expect(await a.claim(fresh(), 30)).toMatchObject({ is: 'claimed' });
    });

    it('opens nothing to a token of another event', async () => {
      const [a] = underTest().stores;
      const [one, two] = [fresh(), fresh()];
      const token = tokenOf(await a.claim(one, 30));
      await a.claim(two, 30);
      expect(await a.complete(two, token)).toBe(false);
      expect(await a.complete(fresh(), token)).toBe(false);
    });

    it('forgets after 31 days what was done or abandoned, and nothing sooner', async () => {
      const {
        stores: [a],
        age,
      } = underTest();
      const [done, abandoned] = [fresh(), fresh()];
      await a.complete(done, tokenOf(await a.claim(done, 30)));
      await a.claim(abandoned, leaseSeconds);
      await age(30.9);
      const young = fresh();
      await a.complete(young, tokenOf(await a.claim(young, 30)));
      await a.purge();
      expect(await a.claim(done, 30)).toEqual({ is: 'done' });
      const gone = await age(0.2);
      expect(gone + (await a.purge())).toBeGreaterThanOrEqual(2);
      expect(await a.claim(done, 30)).toMatchObject({ is: 'claimed', takenOver: false });
      expect(await a.claim(abandoned, 30)).toMatchObject({ is: 'claimed', takenOver: false });
      expect(await a.claim(young, 30)).toEqual({ is: 'done' });
      expect(await a.purge(0.1)).toBeGreaterThanOrEqual(1);
      expect(await a.claim(young, 30)).toMatchObject({ is: 'claimed', takenOver: false });
    });
  });
}
