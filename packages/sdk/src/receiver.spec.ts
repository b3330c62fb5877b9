import { describe, expect, it } from '@jest/globals';
import { memoryStore } from './claim-store.memory.js';
import { type ClaimStore } from './claim-store.js';
import { type VerifiedEvent } from './events.js';
import { type Handlers, type ReceiverOptions, createReceiver } from './receiver.js';
import { type Problem, replyTo } from './receiver-outcome.js';
import { exampleSecret, signedExample, signedRequest } from './testing.js';
import { VerificationError } from './verification-error.js';

const start = Date.parse('2026-11-30T07:12:44Z');
const otherSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function scene(handlers: Handlers, options: Partial<ReceiverOptions> = {}) {
  const clock = { now: start };
  const now = () => clock.now;
  const problems: Problem[] = [];
  const store = memoryStore(now);
  const receiver = createReceiver({
    secrets: exampleSecret,
    store,
    handlers,
    now,
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  const example = (type: 'daily.updated' | 'endpoint.test' = 'endpoint.test', id = 'evt_1') =>
    signedExample(type, { secret: exampleSecret, at: new Date(clock.now), id });
  return { clock, problems, store, receiver, example };
}

/** A handler that waits for the test, and counts. */
function gate() {
  const calls: VerifiedEvent[] = [];
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { calls, open, handler: async (event: VerifiedEvent) => void (calls.push(event), await opened) };
}

describe('a receiver', () => {
  it('hands an event to the handler of its type, and answers 204', async () => {
    const seen: [string, string, number][] = [];
    const { receiver, example, problems } = scene({
      'daily.updated': (event) => void seen.push([event.id, event.data.localDate, event.data.record.value]),
      otherwise: () => void seen.push(['otherwise', '', 0]),
    });
    const outcome = await receiver.receive(await example('daily.updated'));
    expect(outcome.is).toBe('handled');
    expect(replyTo(outcome)).toEqual({ status: 204, headers: {}, body: '' });
    expect(seen).toEqual([['evt_1', '2026-11-29', 8_431]]);
    expect(problems).toEqual([]);
  });

  it('handles an event once, however often it comes', async () => {
    const seen: string[] = [];
    const { receiver, example, clock } = scene({ otherwise: (event) => void seen.push(event.id) });
    expect((await receiver.receive(await example())).is).toBe('handled');
    for (const hours of [1, 10, 33, 24 * 29]) {
      clock.now = start + hours * 3_600_000;
      const outcome = await receiver.receive(await example());
      expect([outcome.is, replyTo(outcome).status]).toEqual(['duplicate', 204]);
    }
    expect(seen).toEqual(['evt_1']);
  });

  it('answers 503 and when to come back, while another attempt is being handled', async () => {
    const { calls, open, handler } = gate();
    const { receiver, example } = scene({ otherwise: handler }, { leaseSeconds: 40 });
    const first = receiver.receive(await example());
    const second = await receiver.receive(await example());
    expect(replyTo(second)).toMatchObject({ status: 503, headers: { 'retry-after': '40' } });
    open();
    expect((await first).is).toBe('handled');
    expect((await receiver.receive(await example())).is).toBe('duplicate');
    expect(calls).toHaveLength(1);
  });

  it('runs a handler that failed again at the next attempt, at once', async () => {
    let fails = 1;
    const seen: string[] = [];
    const { receiver, example, problems } = scene({
      otherwise: async (event) => {
        if (fails-- > 0) throw new Error('no disk');
        seen.push(event.id);
      },
    });
    const failed = await receiver.receive(await example());
    expect(replyTo(failed)).toMatchObject({ status: 500, body: '{"code":"not_handled"}' });
    expect(problems).toEqual([expect.objectContaining({ is: 'failed', stage: 'handler', error: new Error('no disk') })]);
    expect((await receiver.receive(await example())).is).toBe('handled');
    expect(seen).toEqual(['evt_1']);
  });

  it('takes over an event whose handler never came back, and says so to the next', async () => {
    const { handler, open } = gate();
    const overtaken: boolean[] = [];
    let runs = 0;
    const { receiver, example, clock, problems } = scene({
      otherwise: async (event, { takenOver }) => {
        overtaken.push(takenOver);
        if (++runs === 1) await handler(event);
      },
    });
    const lost = receiver.receive(await example());
    await receiver.receive(await example());
    clock.now += 61_000;
    expect((await receiver.receive(await example())).is).toBe('handled');
    expect(overtaken).toEqual([false, true]);
    open();
    const late = await lost;
    expect([late.is, replyTo(late).status]).toEqual(['failed', 500]);
    expect(problems).toEqual([expect.objectContaining({ stage: 'complete' })]);
    expect((await receiver.receive(await example())).is).toBe('duplicate');
  });

  it('lets a long handler hold on to its event', async () => {
    const { open, handler } = gate();
    const { receiver, example, clock } = scene({
      otherwise: async (event, { extendLease }) => {
        expect(await extendLease(600)).toBe(true);
        await handler(event);
      },
    });
    const first = receiver.receive(await example());
    await receiver.receive(await example());
    clock.now += 61_000;
    expect((await receiver.receive(await example())).is).toBe('in-progress');
    open();
    expect((await first).is).toBe('handled');
  });

  it('acknowledges what no handler wants and does not remember it, so that a replay reaches a handler added later', async () => {
    const { receiver, example, store, clock } = scene({ 'daily.updated': () => undefined });
    expect(replyTo(await receiver.receive(await example('endpoint.test'))).status).toBe(204);
    const later = createReceiver({ secrets: exampleSecret, store, now: () => clock.now, handlers: { 'endpoint.test': () => undefined } });
    expect((await later.receive(await example('endpoint.test'))).is).toBe('handled');
  });

  it('gives types newer than the SDK to `otherwise`, and never to what an object inherits', async () => {
    const seen: string[] = [];
    const { receiver } = scene({ otherwise: (event) => void seen.push(event.type) });
    for (const type of ['moon.risen', 'constructor', 'toString', 'otherwise', '__proto__']) {
      const body = JSON.stringify({ type, timestamp: new Date(start).toISOString(), deliveryAttempt: 1, data: {} });
      const outcome = await receiver.receive(
        await signedRequest({ secret: exampleSecret, id: `evt_${seen.length}`, at: new Date(start), body }),
      );
      expect(outcome.is).toBe('handled');
    }
    expect(seen).toEqual(['moon.risen', 'constructor', 'toString', 'otherwise', '__proto__']);
    const bare = scene({}).receiver;
    const body = JSON.stringify({ type: 'constructor', timestamp: new Date(start).toISOString(), deliveryAttempt: 1, data: {} });
    expect((await bare.receive(await signedRequest({ secret: exampleSecret, id: 'evt_1', at: new Date(start), body }))).is).toBe('ignored');
  });

  it('keeps two endpoints that share a store apart', async () => {
    const { store, example, clock } = scene({});
    const seen: string[] = [];
    const at = (endpoint: string) =>
      createReceiver({
        endpoint,
        secrets: exampleSecret,
        store,
        now: () => clock.now,
        handlers: { otherwise: () => void seen.push(endpoint) },
      });
    await at('mobile').receive(await example());
    await at('research').receive(await example());
    await at('mobile').receive(await example());
    expect(seen).toEqual(['mobile', 'research']);
  });
});

describe('a request that is not believed', () => {
  it('is answered 400 with its code, reaches neither store nor handler, and cannot spoil the event to come', async () => {
    const seen: string[] = [];
    const { receiver, example, problems } = scene({ otherwise: (event) => void seen.push(event.id) });
    const { headers, body } = await example();
    const forged = await receiver.receive({ body, headers: { ...headers, 'webhook-signature': `v1,${'A'.repeat(43)}=` } });
    expect(replyTo(forged)).toMatchObject({ status: 400, body: '{"code":"signature_mismatch"}' });
    expect(problems).toEqual([{ is: 'refused', error: expect.any(VerificationError) }]);
    expect(seen).toEqual([]);
    expect((await receiver.receive({ body, headers })).is).toBe('handled');
  });
  it('because of our own set-up is answered 500', async () => {
    const { receiver, example } = scene({});
    const { headers } = await example();
    const parsed = await receiver.receive({ body: { type: 'endpoint.test' } as unknown as string, headers });
    expect(replyTo(parsed)).toMatchObject({ status: 500, body: '{"code":"misconfigured"}' });
    const unset = scene({}, { secrets: () => [] }).receiver;
    expect(replyTo(await unset.receive(await example())).status).toBe(500);
  });
  it('is explained to us at most once in ten seconds, and never to the caller', async () => {
    const { receiver, example, problems, clock } = scene({});
    const { headers, body } = await example();
    const spoiled = { headers, body: Buffer.concat([body, Buffer.from('\n')]) };
    for (const seconds of [0, 1, 9, 10, 11]) {
      clock.now = start + seconds * 1000;
      expect(replyTo(await receiver.receive(spoiled)).body).toBe('{"code":"signature_mismatch"}');
    }
    const mistakes = problems.map((problem) => problem.is === 'refused' && problem.error.bodyMistake);
    expect(mistakes).toEqual(['newline_added', undefined, undefined, 'newline_added', undefined]);
  });
});

describe('secrets of a receiver', () => {
  it('are refused at once when they are faulty', () => {
    expect(() => scene({}, { secrets: 'whsec_short' })).toThrow(expect.objectContaining({ code: 'malformed_secret' }));
    expect(() => scene({}, { secrets: [] })).toThrow(expect.objectContaining({ code: 'no_secret' }));
    expect(() => scene({}, { toleranceSeconds: Number.NaN })).toThrow(RangeError);
    expect(() => scene({}, { leaseSeconds: 0 })).toThrow(RangeError);
  });
  it('may be asked for at each request, so that a rotation needs no restart', async () => {
    let secrets: string[] = [otherSecret];
    const { receiver, example } = scene({}, { secrets: async () => secrets });
    expect((await receiver.receive(await example())).is).toBe('refused');
    secrets = [otherSecret, exampleSecret];
    expect((await receiver.receive(await example())).is).toBe('ignored');
    secrets = [otherSecret];
    expect((await receiver.receive(await example())).is).toBe('refused');
  });
  it('that cannot be had are a failure of ours: 500, and no event is lost', async () => {
    let broken = true;
    const { receiver, example, problems } = scene(
      { otherwise: () => undefined },
      {
        secrets: () => {
          if (broken) throw new Error('vault is sealed');
          return exampleSecret;
        },
      },
    );
    expect(replyTo(await receiver.receive(await example())).status).toBe(500);
    expect(problems).toEqual([expect.objectContaining({ is: 'failed', stage: 'verify', error: new Error('vault is sealed') })]);
    broken = false;
    expect((await receiver.receive(await example())).is).toBe('handled');
  });
});

describe('a store that fails', () => {
  const failing = (store: ClaimStore, method: keyof ClaimStore): ClaimStore => ({
    ...store,
    [method]: () => Promise.reject(new Error('down')),
  });

  it('at the claim keeps the handler from running: 500, and the retry runs it', async () => {
    const seen: string[] = [];
    const { store, clock, example } = scene({});
    const at = (used: ClaimStore) =>
      createReceiver({
        secrets: exampleSecret,
        store: used,
        now: () => clock.now,
        onProblem: () => undefined,
        handlers: { otherwise: (event) => void seen.push(event.id) },
      });
    const outcome = await at(failing(store, 'claim')).receive(await example());
    expect([replyTo(outcome).status, seen]).toEqual([500, []]);
    expect((await at(store).receive(await example())).is).toBe('handled');
    expect(seen).toEqual(['evt_1']);
  });
  it.each(['complete', 'release'] as const)('at the %s is a failure, and the event comes again after the lease', async (method) => {
    const { store, clock, example } = scene({});
    const runs: boolean[] = [];
    const at = (used: ClaimStore, fails: boolean) =>
      createReceiver({
        secrets: exampleSecret,
        store: used,
        now: () => clock.now,
        onProblem: () => undefined,
        handlers: {
          otherwise: (_, { takenOver }) => {
            runs.push(takenOver);
            if (fails) throw new Error('no disk');
          },
        },
      });
    expect(replyTo(await at(failing(store, method), method === 'release').receive(await example())).status).toBe(500);
    expect((await at(store, false).receive(await example())).is).toBe('in-progress');
    clock.now += 61_000;
    expect((await at(store, false).receive(await example())).is).toBe('handled');
    expect(runs).toEqual([false, true]);
  });
  it('does not matter to a report that throws', async () => {
    const { receiver, example } = scene(
      { otherwise: () => Promise.reject(new Error('no disk')) },
      {
        onProblem: () => {
          throw new Error('no log');
        },
      },
    );
    expect(replyTo(await receiver.receive(await example())).status).toBe(500);
  });
});
