import { describe, expect, it } from '@jest/globals';
import { type ClaimStore } from './claim-store.js';
import { memoryStore } from './claim-store.memory.js';
import { type VerifiedEvent } from './events.js';
import { type Handler, type HandlerContext } from './handle-once.js';
import { type Problem, type ReceiverOutcome, replyTo } from './receiver-outcome.js';
import { type ReceiverOptions, createReceiver } from './receiver.js';
import { RetryLater } from './retry-later.js';
import { exampleSecret, signedExample } from './testing.js';

const otherSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const example = (id = 'evt_1', secret = exampleSecret) => signedExample('endpoint.test', { secret, id });
const receiverOf = (options: Partial<ReceiverOptions>) =>
  createReceiver({ secrets: exampleSecret, store: memoryStore(), handlers: {}, onProblem: () => undefined, ...options });

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A store that counts, and whose answer to `extend` the test may change. */
function watched(extend?: () => Promise<boolean>) {
  const store = memoryStore();
  const counts = { extended: 0, released: 0 };
  const watching: ClaimStore = {
    ...store,
    extend: (...args) => {
      counts.extended++;
      return extend ? extend() : store.extend(...args);
    },
    release: (...args) => {
      counts.released++;
      return store.release(...args);
    },
  };
  return { store: watching, counts };
}

describe('the lease of a handler that takes long', () => {
  it('is extended again and again, and no more once the handler has ended', async () => {
    const { store, counts } = watched();
    const receiver = receiverOf({ store, leaseSeconds: 0.06, handlers: { otherwise: () => until(() => counts.extended >= 4) } });
    expect((await receiver.receive(await example())).is).toBe('handled');
    const { extended } = counts;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(counts.extended).toBe(extended);
  });

  it('that is lost aborts the signal; what the handler says after that is no completion', async () => {
    const { store } = watched(async () => false);
    let context: HandlerContext | undefined;
    const receiver = receiverOf({
      leaseSeconds: 0.06,
      store: { ...store, complete: async () => false },
      handlers: { otherwise: (_, given) => until(() => ((context = given), given.signal.aborted)) },
    });
    expect(await receiver.receive(await example())).toMatchObject({ is: 'failed', stage: 'complete' });
    expect((context?.signal.reason as Error).message).toContain('lost');
  });

  it('outlives a store that does not answer one beat', async () => {
    let beats = 0;
    const { store } = watched(async () => {
      if (++beats === 1) throw new Error('down');
      return true;
    });
    let aborted: boolean | undefined;
    const receiver = receiverOf({
      store,
      leaseSeconds: 0.06,
      handlers: {
        otherwise: async (_, { signal }) => {
          await until(() => beats >= 3);
          aborted = signal.aborted;
        },
      },
    });
    expect((await receiver.receive(await example())).is).toBe('handled');
    expect(aborted).toBe(false);
  });

  it('is left to end when the handler hangs', async () => {
    const { store, counts } = watched();
    let later: number | undefined;
    let reason = '';
    const receiver = receiverOf({
      store,
      leaseSeconds: 0.06,
      maxHandlingSeconds: 0.5,
      handlers: {
        otherwise: async (_, { signal }) => {
          await until(() => signal.aborted);
          reason = String(signal.reason);
          const { extended } = counts;
          await new Promise((resolve) => setTimeout(resolve, 200));
          later = counts.extended - extended;
        },
      },
    });
    await receiver.receive(await example());
    expect([later, reason]).toEqual([0, 'Error: The handler took longer than 0.5 s.']);
    expect(counts.extended).toBeGreaterThan(0);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('down'))],
    ['never answers', () => new Promise<boolean>(() => undefined)],
  ])('is given up when the store %s for as long as it lasts, since another may have the event', async (_, extend) => {
    const { store, counts } = watched(extend);
    let reason = '';
    const otherwise: Handler<VerifiedEvent> = async (__, { signal }) => {
      await until(() => signal.aborted);
      reason = String(signal.reason);
    };
    await receiverOf({ store, leaseSeconds: 0.06, handlers: { otherwise } }).receive(await example());
    expect([reason, counts.extended]).toEqual(['Error: The lease was lost: the store has not answered for as long as it lasts.', 2]);
  });

  it('that the handler made longer is not made shorter by a beat', async () => {
    const asked: number[] = [];
    const store = memoryStore();
    const watching: ClaimStore = { ...store, extend: (key, token, seconds) => (asked.push(seconds), store.extend(key, token, seconds)) };
    const otherwise: Handler<VerifiedEvent> = async (_, { extendLease }) => {
      expect(await extendLease(600)).toBe(true);
      await until(() => asked.length >= 4);
    };
    await receiverOf({ store: watching, leaseSeconds: 0.06, handlers: { otherwise } }).receive(await example());
    expect(Math.min(...asked)).toBeGreaterThan(500);
  });

  it.each([
    { leaseSeconds: 0 },
    { leaseSeconds: Number.NaN },
    { leaseSeconds: 90 * 86_400 },
    { maxHandlingSeconds: -1 },
    { maxHandlingSeconds: Number.NaN },
    { maxHandlingSeconds: Number.POSITIVE_INFINITY },
  ])('is never of %j, of which a timer would make something else', (options) => {
    expect(() => receiverOf(options)).toThrow(RangeError);
  });
});

describe('a receiver', () => {
  it.each([[undefined], [null], ['no disk'], [0], [Object.create(null)]])(
    'takes %p, thrown by a handler, for a failure: 500, and the next attempt runs it again',
    async (thrown) => {
      let fails = true;
      const otherwise = (): void => {
        if (fails) throw thrown;
      };
      const problems: Problem[] = [];
      const receiver = receiverOf({ handlers: { otherwise }, onProblem: (problem) => problems.push(problem) });
      const outcome = await receiver.receive(await example());
      expect(replyTo(outcome)).toMatchObject({ status: 500, body: '{"code":"not_handled"}' });
      expect(problems).toMatchObject([{ is: 'failed', stage: 'handler', error: thrown }]);
      fails = false;
      expect((await receiver.receive(await example())).is).toBe('handled');
    },
  );

  it('rejects nothing when secrets can be had for the check and not for its explanation', async () => {
    let asked = 0;
    const secrets = async () => {
      if (++asked > 1) throw new Error('vault is sealed');
      return otherSecret;
    };
    const outcome = await receiverOf({ secrets }).receive(await example());
    expect(outcome).toMatchObject({ is: 'refused', error: { code: 'signature_mismatch' } });
    expect([asked, replyTo(outcome).status]).toEqual([2, 400]);
  });

  it('lets a handler say when to come again', async () => {
    let full = true;
    const { store, counts } = watched();
    const receiver = receiverOf({
      store,
      handlers: {
        otherwise: () => {
          if (full) throw new RetryLater(90);
        },
      },
    });
    const told = replyTo(await receiver.receive(await example()));
    expect(told).toMatchObject({ status: 503, headers: { 'retry-after': '90' }, body: '{"code":"retry_later"}' });
    expect(counts.released).toBe(1);
    full = false;
    expect((await receiver.receive(await example())).is).toBe('handled');
    for (const seconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(() => new RetryLater(seconds)).toThrow(RangeError);
  });

  it('asks for the secrets of the endpoint that was called, and keeps the claims of each apart', async () => {
    const seen: string[] = [];
    const asked: string[] = [];
    const receiver = receiverOf({
      secrets: (endpoint) => {
        asked.push(endpoint);
        return endpoint === 'mobile' ? exampleSecret : endpoint === 'research' ? [otherSecret] : [];
      },
      handlers: { otherwise: (event) => void seen.push(event.id) },
    });
    const at = async (endpoint: string, secret: string) => (await receiver.receive({ ...(await example('evt_1', secret)), endpoint })).is;
    expect(await at('mobile', exampleSecret)).toBe('handled');
    expect(await at('research', otherSecret)).toBe('handled');
    expect(await at('research', exampleSecret)).toBe('refused');
    expect(await at('mobile', exampleSecret)).toBe('duplicate');
    expect(await at('nowhere', exampleSecret)).toBe('refused');
    expect(seen).toEqual(['evt_1', 'evt_1']);
    expect(asked.slice(0, 3)).toEqual(['mobile', 'research', 'research']);
  });

  it('takes an event that was proved in another way through the same claim', async () => {
    const seen: string[] = [];
    const receiver = receiverOf({ handlers: { otherwise: (event) => void seen.push(event.id) } });
    const outcome = await receiver.receive(await example());
    expect(outcome.is).toBe('handled');
    const { event } = outcome as Extract<ReceiverOutcome, { is: 'handled' }>;
    expect((await receiver.accept(event)).is).toBe('duplicate');
    expect((await receiver.accept({ ...event, id: 'evt_2' })).is).toBe('handled');
    expect((await receiver.receive(await example('evt_2'))).is).toBe('duplicate');
    expect(seen).toEqual(['evt_1', 'evt_2']);
  });

  it('drains: ends what it handles, and sends away what comes meanwhile', async () => {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const receiver = receiverOf({ handlers: { otherwise: () => opened } });
    const first = receiver.receive(await example());
    let drained = false;
    const draining = receiver.drain().then(() => (drained = true));
    expect(replyTo(await receiver.receive(await example('evt_2')))).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(drained).toBe(false);
    open();
    await draining;
    expect((await first).is).toBe('handled');
  });

  it('tells of every outcome once, and a listener that throws changes nothing', async () => {
    const outcomes: string[] = [];
    const receiver = receiverOf({
      handlers: { 'endpoint.test': () => undefined },
      onOutcome: ({ is }) => {
        outcomes.push(is);
        throw new Error('no metrics');
      },
    });
    const request = await example();
    for (const sent of [request, request, { ...request, headers: {} }]) await receiver.receive(sent);
    await receiver.receive(await signedExample('daily.updated', { secret: exampleSecret }));
    expect(outcomes).toEqual(['handled', 'duplicate', 'refused', 'ignored']);
  });
});
