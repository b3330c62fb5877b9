import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Outbound, SliceWorld } from '../testing/slice-world.js';

const DAY = 86_400_000;
const world = new SliceWorld();
beforeAll(() => world.open());
beforeEach(() => world.begin());
afterEach(() => world.end());
afterAll(() => world.close());

describe('the health of an endpoint', () => {
  const failingFor = (days: number, failures: number) =>
    world.rows(
      "update endpoint set failing_since = now() - $2 * interval '1 ms', last_success_at = now() - $2 * interval '1 ms', consecutive_failures = $3 where id = $1",
      world.endpoint.id,
      days * DAY,
      failures,
    );

  it('disables it at the twentieth failure after five days without a success', async () => {
    await world.owe('evt_70');
    await failingFor(5, 19);
    world.receiver.behave({ do: 'answer', status: 500 });
    await world.outbound().run(world.ref());
    expect(await world.endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: 'failed_too_long', consecutive_failures: 20 });
    expect(await world.delivery('evt_70')).toMatchObject({ state: 'pending', attempts: 1 });
  });

  it.each([
    ['four days', 4, 30],
    ['eighteen failures before', 5, 18],
  ])('does not disable it after %s', async (_name, days, failures) => {
    await world.owe(`evt_71_${days}_${failures}`);
    await failingFor(days, failures);
    world.receiver.behave({ do: 'answer', status: 500 });
    await world.outbound().run(world.ref());
    expect(await world.endpointRow()).toMatchObject({ status: 'enabled', consecutive_failures: failures + 1 });
  });

  it('is well again after one success', async () => {
    await world.owe('evt_72');
    await failingFor(9, 400);
    await world.outbound().run(world.ref());
    expect(await world.endpointRow()).toMatchObject({ status: 'enabled', consecutive_failures: 0, failing_since: null });
  });
});

describe('user.erased', () => {
  it('names the person until the last endpoint was told, and then no more', async () => {
    const second = await world.seed.endpoint(world.scope, { url: `${world.receiver.url}/second` });
    await world.owe('evt_80', { to: [world.endpoint, second], type: 'user.erased', data: '{"user":{"externalId":"Zoë-7"}}' });
    const worker = world.outbound();
    const dataOf = async () => (await world.rows("select data from event where id = 'evt_80'"))[0].data as Buffer | null;
    await worker.run(world.ref());
    expect((await dataOf())?.toString()).toContain('Zoë-7');
    world.receiver.behaveNext({ do: 'answer', status: 500 });
    await worker.run(world.ref(second));
    expect((await dataOf())?.toString()).toContain('Zoë-7');
    await world.makeDue();
    await worker.run(world.ref(second));
    expect(world.receiver.received.map(({ body }) => JSON.parse(body.toString()).data.user.externalId)).toEqual([
      'Zoë-7',
      'Zoë-7',
      'Zoë-7',
    ]);
    expect(await dataOf()).toBeNull();
  });
});

describe('processes that fail', () => {
  it('what was sent and not recorded is sent again with the same id once the lease ran out', async () => {
    await world.owe('evt_90');
    // Dies between the answer and the record.
    const dying = world.outbound({
      deadlineMs: 200,
      poster: { post: async () => new Promise(() => undefined), close: async () => undefined },
    });
    void dying.run(world.ref());
    for (let n = 0; (await world.delivery('evt_90')).state !== 'sending'; n += 1) {
      if (n > 200) throw new Error('The delivery was never claimed');
      await new Promise((wait) => setTimeout(wait, 10));
    }
    const survivor = world.outbound();
    expect(await survivor.run(world.ref())).toBe(false);
    expect(world.receiver.received).toHaveLength(0);
    expect(Number((await world.delivery('evt_90')).wait_ms)).toBeLessThanOrEqual(3_000 + 200 + 2_000);
    await world.makeDue(); // the lease has ended
    await survivor.run(world.ref());
    expect(world.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_90']);
    expect(world.verified(world.receiver.received[0])).toMatchObject({ deliveryAttempt: 1 });
    expect(await world.delivery('evt_90')).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('two processes on one endpoint send each event once', async () => {
    const ids = Array.from({ length: 120 }, (_, n) => `evt_two_${n}`);
    for (const id of ids) await world.owe(id);
    const [one, two] = [world.outbound(), world.outbound()];
    const work = async (worker: Outbound) => {
      while (await worker.run(world.ref()));
    };
    await Promise.all([work(one), work(two), work(one), work(two)]);
    expect([...world.receiver.timesReceived().entries()].sort()).toEqual(ids.map((id) => [id, 1]).sort());
    expect(await world.states()).toEqual([{ state: 'delivered', n: 120, held: 0 }]);
  });

  it('a receiver that was down gets every event when it is up, the same ids, none lost', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `evt_down_${n}`);
    await world.receiver.goDown();
    for (const id of ids) await world.owe(id);
    const worker = world.outbound();
    await worker.run(world.ref());
    expect(await world.rows('select distinct outcome from delivery_attempt where endpoint_id = $1', world.endpoint.id)).toEqual([
      { outcome: 'connection_refused' },
    ]);
    const { consecutive_failures: failures, status } = await world.endpointRow();
    expect(status).toBe('enabled');
    expect(failures).toBeGreaterThanOrEqual(10);
    await world.receiver.comeBack();
    await world.makeDue();
    await world.rows('update endpoint_pace set rests_until = now() where endpoint_id = $1', world.endpoint.id);
    while (await worker.run(world.ref()));
    expect([...world.receiver.timesReceived().keys()].sort()).toEqual([...ids].sort());
    expect(await world.endpointRow()).toMatchObject({ consecutive_failures: 0, failing_since: null });
  });

  it('a database that is away for a moment after the sending costs no second sending', async () => {
    await world.owe('evt_91');
    let refuse = 2;
    const query = (statement: { readonly name: string; readonly text: string }) =>
      statement.name === 'record-results' && refuse-- > 0
        ? Promise.reject(new Error('the database is restarting'))
        : world.db.pool.query(statement);
    const pool = new Proxy(world.db.pool, {
      get: (target, name) => (name === 'query' ? query : Reflect.get(target, name).bind(target)),
    });
    const worker = world.outbound({ pool });
    await worker.run(world.ref());
    expect(world.receiver.received).toHaveLength(1);
    expect(await world.delivery('evt_91')).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(worker.lines.map(({ what }) => what)).toEqual(['delivery.record_failed', 'delivery.record_failed']);
  });

  it('a process that drains begins nothing, and gives back what it had claimed', async () => {
    for (let n = 0; n < 30; n += 1) await world.owe(`evt_drain_${n}`);
    let draining = false;
    world.receiver.behave({ do: 'answer', status: 204, afterMs: 150 });
    const worker = world.outbound({ draining: () => draining });
    const run = worker.run(world.ref());
    await world.receiver.until((received) => received.length >= 16);
    draining = true;
    expect(await run).toBe(false);
    expect(world.receiver.received).toHaveLength(16);
    expect(await world.states()).toEqual([
      { state: 'delivered', n: 16, held: 0 },
      { state: 'pending', n: 14, held: 0 },
    ]);
    expect(await worker.run(world.ref())).toBe(false);
    expect(world.receiver.received).toHaveLength(16);
  });
});
