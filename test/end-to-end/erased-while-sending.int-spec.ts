import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SliceWorld } from '../../apps/outbound/testing/slice-world.js';
import { type RunningApi, startApi } from '../../apps/api/testing/start-api.js';

// The API erases while another process sends. doubles: none.  oracles: what the receiver got, and rows.
describe('erasing a person to whom events belong', () => {
  const world = new SliceWorld();
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi(world.keys);
    world.db = api.db;
    world.seed = api.seed;
    await world.begin();
  });
  afterAll(async () => {
    await world.end();
    await api.stop();
  });

  it('ends what is owed, keeps no answer, and sends nothing afterwards but user.erased', async () => {
    const { scope, endpoint, receiver } = world;
    const { key } = await api.key(scope);
    const user = await api.seed.user(scope);
    await api.seed.connection(await api.seed.app(scope), user);
    const own = (id: string) =>
      api.db.pool.query('update event set user_id = $1 where tenant_id = $2 and id = $3', [user.id, scope.tenantId, id]);
    const mine = ['evt_delivered', 'evt_failing', 'evt_under_way', 'evt_waiting'];
    for (const id of mine) {
      await world.owe(id);
      await own(id);
    }
    await world.owe('evt_of_another');
    const later = (...ids: string[]) =>
      world.rows(`update event_delivery set next_attempt_at = now() + interval '1 hour' where event_id = any ($1)`, ids);

    // One was delivered, and the customer said something of the person; one failed once and waits.
    await later('evt_failing', 'evt_under_way', 'evt_waiting', 'evt_of_another');
    receiver.behave({ do: 'answer', status: 200, body: `thanks for ${user.externalId}` });
    await world.outbound().run(world.ref());
    await world.rows(`update event_delivery set next_attempt_at = now() where event_id = 'evt_failing'`);
    receiver.behave({ do: 'answer', status: 500, body: `no ${user.externalId}` });
    await world.outbound().run(world.ref());
    const [delivered, failing] = [await world.attempts('evt_delivered'), await world.attempts('evt_failing')];
    expect([delivered.length, failing.length]).toEqual([1, 1]);
    expect(delivered[0].response_body.toString()).toContain(user.externalId);
    // A retry of days ago stands in another partition.
    await world.rows(
      `insert into delivery_attempt select tenant_id, environment, event_id, endpoint_id, 2, started_at - interval '20 days', duration_ms, outcome,
         status_code, response_headers, response_body from delivery_attempt where event_id = 'evt_failing'`,
    );

    // One is on its way: the receiver has it, and does not answer until the person is erased.
    await later('evt_failing');
    await world.rows(`update event_delivery set next_attempt_at = now() where event_id = 'evt_under_way'`);
    receiver.behave({ do: 'answer', status: 200, body: `late word about ${user.externalId}`, afterMs: 3_000 });
    const sending = world.outbound().run(world.ref());
    await receiver.until((received) => received.some(({ headers }) => headers['webhook-id'] === 'evt_under_way'), 20_000);
    expect((await api.call('DELETE', `/v1/users/${user.id}`, { key })).status).toBeLessThan(300);
    const before = receiver.received.length;
    await sending;

    receiver.behave({ do: 'answer', status: 204 });
    for (let round = 0; round < 4; round += 1) {
      await world.makeDue();
      await world.outbound().run(world.ref());
    }
    const after = receiver.received.slice(before).map((one) => world.verified(one));
    expect(after.map(({ type }) => type).sort()).toEqual(['daily.updated', 'user.erased']);
    expect(after.find(({ type }) => type === 'daily.updated')?.['data']).toMatchObject({ id: 'evt_of_another' });
    expect(after.find(({ type }) => type === 'user.erased')?.['data']).toMatchObject({ user: { id: user.id } });

    for (const table of ['event_delivery', 'delivery_attempt'])
      expect([table, await world.rows(`select event_id from ${table} where event_id = any ($1)`, mine)]).toEqual([table, []]);
    expect(await world.rows('select id from event where id = any ($1)', mine)).toEqual([]);
    const said = await world.rows(
      `select event_id from delivery_attempt where tenant_id = $1 and convert_from(response_body, 'UTF8') like '%' || $2 || '%'`,
      ...[scope.tenantId, user.externalId],
    );
    expect(said).toEqual([]);
    expect(await world.rows(`select data from event where tenant_id = $1 and type = 'user.erased'`, scope.tenantId)).toEqual([
      { data: null },
    ]);
    const { data } = (await api.call('GET', `/v1/attempts?endpointId=${endpoint.id}`, { key })).body;
    const shown: string[] = data.map((row: { eventId: string }) => row.eventId);
    expect(shown).toContain('evt_of_another');
    expect(shown.filter((id) => mine.includes(id))).toEqual([]);
  });

  it('what a slice had claimed and not begun is not begun any more, and the answer comes when the last request is over', async () => {
    const { scope, receiver } = world;
    const { key } = await api.key(scope);
    const { user, mine } = await owedOfSomebody('evt_claimed', 160);
    receiver.clear();
    receiver.behave({ do: 'answer', status: 200, body: `of ${user.externalId}`, afterMs: 400 });
    const underWay = new Set<string>();
    const begun: string[] = [];
    const poster = world.watchedPoster((id, change) => {
      if (change === 1) begun.push(id);
      if (change === 1) underWay.add(id);
      else underWay.delete(id);
    });
    const outbound = world.outbound({ poster });
    const sending = outbound.run(world.ref());
    await receiver.until((received) => received.length > 0, 20_000);
    expect((await api.call('DELETE', `/v1/users/${user.id}`, { key })).status).toBeLessThan(300);
    expect([...underWay].filter((id) => mine.includes(id))).toEqual([]);
    const begunBefore = begun.filter((id) => mine.includes(id));
    await sending;
    receiver.behave({ do: 'answer', status: 204 });
    for (let round = 0; round < 2; round += 1) {
      await world.makeDue();
      await outbound.run(world.ref());
    }
    expect(begun.filter((id) => mine.includes(id))).toEqual(begunBefore);
    // Nobody waited for all of them: 160 at sixteen in 400 ms take four seconds.
    expect(begunBefore.length).toBeLessThan(mine.length);
    expect(await world.rows('select event_id from delivery_attempt where event_id = any ($1)', mine)).toEqual([]);
    expect(await world.rows('select event_id from event_delivery where event_id = any ($1)', mine)).toEqual([]);
    const told = receiver.received.map((one) => world.verified(one)).filter(({ type }) => type === 'user.erased');
    expect(told).toHaveLength(1);
  });

  it('a sender that was killed is waited for until its lease ends, and nothing is left of what it held', async () => {
    const { scope } = world;
    const { key } = await api.key(scope);
    const { user, mine } = await owedOfSomebody('evt_orphan', 2);
    await world.rows(
      `update event_delivery set state = 'sending', lease_token = gen_random_uuid(), next_attempt_at = now() + interval '2 seconds' where event_id = $1`,
      mine[0],
    );
    const [{ now: before }] = await world.rows('select now()');
    expect((await api.call('DELETE', `/v1/users/${user.id}`, { key })).status).toBeLessThan(300);
    const [{ now: after }] = await world.rows('select now()');
    expect(after.getTime() - before.getTime()).toBeGreaterThan(1_000);
    expect(await world.rows('select event_id from event_delivery where event_id = any ($1)', mine)).toEqual([]);
  });

  it('a lease that nobody lets go of is cleared by the next who claims it', async () => {
    await world.owe('evt_of_nobody');
    await world.rows(`delete from event where id = 'evt_of_nobody'`);
    await world.makeDue();
    await world.outbound().run(world.ref());
    expect(await world.rows(`select state from event_delivery where event_id = 'evt_of_nobody'`)).toEqual([]);
  });

  async function owedOfSomebody(name: string, n: number) {
    const user = await api.seed.user(world.scope);
    await api.seed.connection(await api.seed.app(world.scope), user);
    const mine = Array.from({ length: n }, (_, at) => `${name}_${at}`);
    for (const id of mine) await world.owe(id);
    await world.rows('update event set user_id = $1 where tenant_id = $2 and id = any ($3)', user.id, world.scope.tenantId, mine);
    return { user, mine };
  }
});
