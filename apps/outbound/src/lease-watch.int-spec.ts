import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deleteEndpointSecret, insertEndpointSecret } from '@tributary/storage';
import { type Receiver, startReceiver } from '../../../test/stand-ins/receiver-server.js';
import { SliceWorld } from '../testing/slice-world.js';

// What a customer changes while a slice of theirs is being sent.  doubles: none.  oracles: what the receivers got, and rows.
const world = new SliceWorld();
let elsewhere: Receiver;
beforeAll(() => world.open());
beforeEach(async () => {
  await world.begin();
  elsewhere = await startReceiver();
});
afterEach(async () => {
  await elsewhere.stop();
  await world.end();
});
afterAll(() => world.close());

const EVENTS = 120;

/** Sixteen are under way and answered after 400 ms, the others of the slice wait. @returns when the slice is through. */
async function midSlice(name: string, over: Parameters<typeof world.outbound>[0] = {}): Promise<() => Promise<number>> {
  for (let n = 0; n < EVENTS; n += 1) await world.owe(`evt_${name}_${n}`);
  world.receiver.behave({ do: 'answer', status: 204, afterMs: 400 });
  const running = world.outbound(over).run(world.ref());
  await world.receiver.until((received) => received.length >= 16, 20_000);
  return async () => {
    await running;
    return world.receiver.received.length;
  };
}

const change = (set: string, ...values: unknown[]) => world.rows(`update endpoint set ${set} where id = $1`, world.endpoint.id, ...values);

describe('while a slice is being sent', () => {
  it('an endpoint that is disabled gets no more than what was under way; the rest stays owed, at no attempt', async () => {
    const through = await midSlice('off');
    await change(`status = 'disabled'`);
    const sent = await through();
    expect(sent).toBeLessThan(EVENTS);
    expect(await world.states()).toEqual([
      { state: 'delivered', n: sent, held: 0 },
      { state: 'pending', n: EVENTS - sent, held: 0 },
    ]);
    expect(
      await world.rows(`select from event_delivery where endpoint_id = $1 and state = 'pending' and attempts > 0`, world.endpoint.id),
    ).toEqual([]);
    await change(`status = 'enabled'`);
    world.receiver.behave({ do: 'answer', status: 204 });
    while (await world.outbound().run(world.ref()));
    expect(await world.states()).toEqual([{ state: 'delivered', n: EVENTS, held: 0 }]);
    expect([...world.receiver.timesReceived().values()].every((times) => times === 1)).toBe(true);
  });

  it('an endpoint that moves gets the rest where it is now, each once', async () => {
    const through = await midSlice('moved');
    await change('url = $2', `${elsewhere.url}/hooks`);
    const sent = await through();
    expect(sent).toBeLessThan(EVENTS);
    while (await world.outbound().run(world.ref()));
    expect(world.receiver.received).toHaveLength(sent);
    expect(elsewhere.received).toHaveLength(EVENTS - sent);
    const times = [...world.receiver.timesReceived(), ...elsewhere.timesReceived()];
    expect(new Set(times.map(([id]) => id)).size).toBe(EVENTS);
    expect(await world.states()).toEqual([{ state: 'delivered', n: EVENTS, held: 0 }]);
  });

  it('what the address before answers decides nothing for the one after', async () => {
    for (let n = 0; n < 16; n += 1) await world.owe(`evt_before_${n}`);
    world.receiver.behave({ do: 'answer', status: 410, afterMs: 600 });
    const running = world.outbound().run(world.ref());
    await world.receiver.until((received) => received.length === 16, 20_000);
    await change('url = $2', `${elsewhere.url}/hooks`);
    await running;
    expect(await world.endpointRow()).toMatchObject({ status: 'enabled', disabled_reason: null });
    expect(await world.rows('select from endpoint_pace where endpoint_id = $1', world.endpoint.id)).toEqual([]);
    await world.makeDue();
    while (await world.outbound().run(world.ref()));
    expect(elsewhere.received).toHaveLength(16);
  });

  it('a secret that is revoked signs no more than what was under way', async () => {
    const id = `sec_${world.scope.tenantId}`;
    const next = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
    const { tenantId, environment } = world.scope;
    const sealed = world.keys.seal(next, `endpoint_secret:${id}`);
    await insertEndpointSecret(world.db.pool, { tenantId, environment, endpointId: world.endpoint.id, id, sealed, publicKey: null });
    const through = await midSlice('revoked');
    expect(await deleteEndpointSecret(world.db.pool, world.scope, world.endpoint.id, world.endpoint.secretId)).toBe(true);
    const revokedAt = world.receiver.received.length;
    const sent = await through();
    while (await world.outbound().run(world.ref()));
    const signatures = world.receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
    // Those of one look, a quarter of a second, at the most.
    expect(signatures.slice(0, sent).lastIndexOf(2)).toBeLessThan(revokedAt + 16);
    expect(signatures.slice(sent)).toEqual(Array(EVENTS - sent).fill(1));
    expect(sent).toBeLessThan(EVENTS);
    expect(world.verified(world.receiver.received.at(-1), next)).toMatchObject({ type: 'daily.updated' });
  });

  it('an endpoint that is deleted gets no more than what was under way, and nothing is owed to it', async () => {
    const through = await midSlice('gone');
    await world.rows(`delete from endpoint where id = $1`, world.endpoint.id);
    await world.rows(
      `update event_delivery set state = 'cancelled', ended_at = now(), lease_token = null where endpoint_id = $1`,
      world.endpoint.id,
    );
    const sent = await through();
    expect(sent).toBeLessThan(EVENTS);
    const [row] = await world.states();
    expect(row).toMatchObject({ state: 'cancelled', held: 0 });
  });

  it('nothing is begun while the database cannot say; it is sent when it can', async () => {
    let away = false;
    const pool = Object.create(world.db.pool) as typeof world.db.pool;
    pool.query = ((statement: { name?: string }, ...rest: unknown[]) => {
      if (away && statement.name === 'find-still-held') return Promise.reject(new Error('the database is away'));
      return (world.db.pool.query as (...all: unknown[]) => unknown)(statement, ...rest);
    }) as typeof pool.query;
    const through = await midSlice('blind', { pool });
    away = true;
    const sent = await through();
    expect(sent).toBeLessThan(EVENTS);
    away = false;
    world.receiver.behave({ do: 'answer', status: 204 });
    while (await world.outbound().run(world.ref()));
    expect(await world.states()).toEqual([{ state: 'delivered', n: EVENTS, held: 0 }]);
    expect([...world.receiver.timesReceived().values()].every((times) => times === 1)).toBe(true);
  });

  it('a slice that is sent at once asks nothing', async () => {
    const asked: string[] = [];
    const pool = Object.create(world.db.pool) as typeof world.db.pool;
    pool.query = ((statement: { name?: string }, ...rest: unknown[]) => {
      asked.push(statement.name ?? '');
      return (world.db.pool.query as (...all: unknown[]) => unknown)(statement, ...rest);
    }) as typeof pool.query;
    for (let n = 0; n < 5; n += 1) await world.owe(`evt_fast_${n}`);
    // The clock stands still.
    const now = Date.now();
    await world.outbound({ pool, clock: () => now }).run(world.ref());
    expect(world.receiver.received).toHaveLength(5);
    expect(asked).toContain('claim-deliveries');
    expect(asked).not.toContain('find-still-held');
  });
});
