import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findDueEndpoints } from '@tributary/storage';
import { type Outbound, SliceWorld } from '../testing/slice-world.js';
import { slice } from './deliver-slice.js';

// How fast one endpoint is sent to. oracles: requests at the receiver, rows of deliveries, attempts and the remembered pace.
const world = new SliceWorld();
beforeAll(() => world.open());
beforeEach(() => world.begin());
afterEach(() => world.end());
afterAll(() => world.close());

const owe = async (name: string, count: number) => {
  for (let n = 0; n < count; n += 1) await world.owe(`evt_${name}_${n}`);
};
const pace = async () => (await world.rows('select * from endpoint_pace where endpoint_id = $1', world.endpoint.id))[0];
const endRest = () => world.rows('update endpoint_pace set rests_until = now() where endpoint_id = $1', world.endpoint.id);
const isDue = async () =>
  (await findDueEndpoints(world.db.pool, slice.rateStretchMs)).some(({ endpointId }) => endpointId === world.endpoint.id);
const untilNoMore = async (worker: Outbound) => {
  while (await worker.run(world.ref()));
};

/** How many requests were open at one moment at the most. */
function counted(deadlineMs?: number) {
  let open = 0;
  let most = 0;
  const poster = world.watchedPoster((_id, change) => {
    open += change;
    most = Math.max(most, open);
  }, deadlineMs);
  return { poster, most: () => most };
}

describe('requests at the same moment', () => {
  it.each([
    ['timeouts', { do: 'hang' } as const],
    ['502', { do: 'answer', status: 502, afterMs: 50 } as const],
    ['504', { do: 'answer', status: 504, afterMs: 50 } as const],
  ])(
    'halve for the next slice after %s',
    async (_name, behaviour) => {
      await owe('halved', 40);
      world.receiver.behave(behaviour);
      const worker = world.outbound({ deadlineMs: 500 });
      await worker.run(world.ref());
      expect(world.receiver.busiest).toBe(16);
      // Whoever was begun after the first sign and failed too is one more.
      const lowered = (await pace()).concurrency as number;
      expect([4, 8]).toContain(lowered);
      await world.rows('update endpoint_pace set rests_until = null, failures = 0 where endpoint_id = $1', world.endpoint.id);
      await world.receiver.stop();
      await world.restartReceiver();
      world.receiver.behave({ do: 'answer', status: 204, afterMs: 50 });
      await world.makeDue();
      await world.outbound().run(world.ref());
      expect(world.receiver.received).toHaveLength(40);
      expect(world.receiver.busiest).toBe(lowered);
      const after = await pace();
      expect(after.concurrency).toBeGreaterThan(lowered);
      expect(after.concurrency).toBeLessThanOrEqual(16);
    },
    30_000,
  );

  it('stay at the most while all is well, and nothing is written of it', async () => {
    await owe('well', 60);
    world.receiver.behave({ do: 'answer', status: 204, afterMs: 20 });
    const { poster, most } = counted();
    await world.outbound({ poster }).run(world.ref());
    expect(most()).toBe(16);
    expect(await pace()).toBeUndefined();
  });
});

describe('a rest', () => {
  it('begins after a run of failures: what is due waits untouched, at no attempt, and nothing is dropped', async () => {
    await owe('rest', 60);
    world.receiver.behave({ do: 'answer', status: 500 });
    const worker = world.outbound();
    expect(await worker.run(world.ref())).toBe(false);
    const sent = world.receiver.received.length;
    expect(sent).toBeGreaterThanOrEqual(10);
    expect(sent).toBeLessThanOrEqual(10 + 15);
    expect(
      await world.rows(
        'select count(*)::int as n from event_delivery where endpoint_id = $1 and attempts = 0 and state = $2 and lease_token is null and next_attempt_at <= now()',
        world.endpoint.id,
        'pending',
      ),
    ).toEqual([{ n: 60 - sent }]);
    expect(worker.lines.filter(({ what }) => what === 'endpoint.rests')).toHaveLength(1);
    const resting = await pace();
    expect(resting).toMatchObject({ rests: 1, failures: sent });
    expect(resting.rests_until.getTime() - Date.now()).toBeGreaterThan(5_000);

    world.receiver.behave({ do: 'answer', status: 204 });
    expect(await isDue()).toBe(false);
    expect(await worker.run(world.ref())).toBe(false);
    expect(world.receiver.received).toHaveLength(sent);

    // The rest ends: one probes, and when it is taken all the others follow.
    await endRest();
    expect(await isDue()).toBe(true);
    expect(await worker.run(world.ref())).toBe(true);
    expect(world.receiver.received).toHaveLength(sent + 1);
    expect(await pace()).toMatchObject({ rests: 0, failures: 0, rests_until: null });
    await untilNoMore(worker);
    await world.makeDue();
    await untilNoMore(worker);
    expect(await world.states()).toEqual([{ state: 'delivered', n: 60, held: 0 }]);
  }, 30_000);

  it('is longer after a probe that failed, which costs one attempt of one delivery', async () => {
    await owe('probe', 40);
    world.receiver.behave({ do: 'answer', status: 500 });
    const worker = world.outbound();
    await worker.run(world.ref());
    const sent = world.receiver.received.length;
    const left = async () => (await pace()).rests_until.getTime() - Date.now();
    const first = await left();
    await endRest();
    expect(await worker.run(world.ref())).toBe(false);
    expect(world.receiver.received).toHaveLength(sent + 1);
    expect(await pace()).toMatchObject({ rests: 2, failures: sent + 1 });
    expect(await left()).toBeGreaterThan(first);
    expect(await world.rows('select sum(attempts)::int as n from event_delivery where endpoint_id = $1', world.endpoint.id)).toEqual([
      { n: sent + 1 },
    ]);
  });

  it('is probed by one process alone', async () => {
    await owe('alone', 40);
    world.receiver.behave({ do: 'answer', status: 500, afterMs: 100 });
    await world.outbound().run(world.ref());
    const sent = world.receiver.received.length;
    await endRest();
    const processes = Array.from({ length: 4 }, () => world.outbound());
    await Promise.all(processes.map((worker) => worker.run(world.ref())));
    expect(world.receiver.received).toHaveLength(sent + 1);
  });

  it('with nothing due to probe with: the next delivery probes, whenever it comes', async () => {
    await world.rows(
      `insert into endpoint_pace (tenant_id, environment, endpoint_id, concurrency, failures, rests, rests_until) values ($1, $2, $3, 16, 12, 1, now())`,
      world.scope.tenantId,
      world.scope.environment,
      world.endpoint.id,
    );
    const worker = world.outbound();
    expect(await worker.run(world.ref())).toBe(false);
    await owe('late', 3);
    expect(await isDue()).toBe(true);
    await untilNoMore(worker);
    expect(await world.states()).toEqual([{ state: 'delivered', n: 3, held: 0 }]);
  });

  it('is forgotten when the endpoint is disabled: enabled again, it is sent to at once', async () => {
    await owe('again', 20);
    world.receiver.behave({ do: 'answer', status: 500 });
    const worker = world.outbound();
    await worker.run(world.ref());
    world.receiver.behave({ do: 'answer', status: 410 });
    await world.makeDue();
    await endRest();
    await worker.run(world.ref());
    expect(await world.endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: 'answered_410' });
    expect(await pace()).toBeUndefined();
    world.receiver.behave({ do: 'answer', status: 204 });
    await world.rows(`update endpoint set status = 'enabled' where id = $1`, world.endpoint.id);
    await world.makeDue();
    await untilNoMore(worker);
    expect(await world.states()).toEqual([{ state: 'delivered', n: 20, held: 0 }]);
  });
});

describe('a limited rate', () => {
  const limit = (perSecond: number) => world.rows('update endpoint set rate_per_second = $2 where id = $1', world.endpoint.id, perSecond);
  const work = async (worker: Outbound) => {
    for (;;) {
      await worker.run(world.ref());
      if (world.receiver.received.length >= 24) return;
      await new Promise((wait) => setTimeout(wait, 20));
    }
  };

  it.each([1, 3])(
    'is kept evenly by %d processes together, at no attempt',
    async (processes) => {
      await owe('rate', 24);
      await limit(20);
      const begun = Date.now();
      await Promise.all(Array.from({ length: processes }, () => work(world.outbound())));
      const times = world.receiver.received.map(({ at }) => at).sort((x, y) => x - y);
      expect(times).toHaveLength(24);
      // 50 ms each. A busy machine makes them late, never early.
      for (const [n, at] of times.entries()) expect(at - begun).toBeGreaterThanOrEqual(n * 50 - 10);
      expect(await world.rows('select distinct attempts, state from event_delivery where endpoint_id = $1', world.endpoint.id)).toEqual([
        { attempts: 1, state: 'delivered' },
      ]);
    },
    30_000,
  );

  it('of less than one a second: the second waits unclaimed, and its endpoint is not due', async () => {
    await owe('slow', 3);
    await limit(0.1);
    const worker = world.outbound();
    await worker.run(world.ref());
    expect(await worker.run(world.ref())).toBe(false);
    expect(world.receiver.received).toHaveLength(1);
    expect(await isDue()).toBe(false);
    await world.rows('update endpoint_pace set rate_taken_until = now() where endpoint_id = $1', world.endpoint.id);
    expect(await isDue()).toBe(true);
    await worker.run(world.ref());
    expect(world.receiver.received).toHaveLength(2);
    expect(await world.states()).toEqual([
      { state: 'delivered', n: 2, held: 0 },
      { state: 'pending', n: 1, held: 0 },
    ]);
  });

  it('what was taken and not used is given back', async () => {
    await limit(10);
    await world.outbound().run(world.ref());
    const [{ taken }] = await world.rows(
      'select extract(epoch from rate_taken_until - now())::float8 as taken from endpoint_pace where endpoint_id = $1',
      world.endpoint.id,
    );
    expect(taken).toBeLessThanOrEqual(0);
  });
});
