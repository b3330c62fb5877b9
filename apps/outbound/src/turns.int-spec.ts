import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { findDueEndpoints, findReach, insertRecovery } from '@tributary/storage';
import { type Outbound, SliceWorld } from '../testing/slice-world.js';
import { slice } from './deliver-slice.js';
import { recoverDue } from './recover-slice.js';

// Endpoints of `ordering: user`. oracles: the order of requests at the receiver, how many of one person were open at once, rows.
const world = new SliceWorld();
beforeAll(() => world.open());
beforeEach(async () => {
  await world.begin();
  await world.rows(`update endpoint set ordering = 'user' where id = $1`, world.endpoint.id);
});
afterEach(() => world.end());
afterAll(() => world.close());

const owe = async (user: string, ...names: string[]) => {
  for (const name of names) {
    await world.owe(`evt_${user}_${name}`);
    await world.rows('update event set user_id = $2 where id = $1', `evt_${user}_${name}`, `usr_${user}`);
  }
};
const sent = () => world.receiver.received.map(({ headers }) => headers['webhook-id']?.slice(4));
const workOff = async (worker: Outbound) => {
  while (await worker.run(world.ref()));
};
const ids = (user: string, count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(3, '0')).map((n) => `${user}_${n}`);

it('sends what each person is told in its order, one at a time, and people beside each other', async () => {
  const all = ['a', 'b', 'c'].flatMap((user) => ids(user, 8));
  for (const id of all.toSorted((x, y) => (x.slice(2) < y.slice(2) ? -1 : 1))) await owe(id.slice(0, 1), id.slice(2));
  const open = new Map<string, number>();
  let most = 0;
  let together = 0;
  const poster = world.watchedPoster((id, change) => {
    const user = id.slice(4, 5);
    open.set(user, (open.get(user) ?? 0) + change);
    most = Math.max(most, open.get(user) ?? 0);
    together = Math.max(
      together,
      [...open.values()].reduce((a, b) => a + b, 0),
    );
  });
  world.receiver.behave({ do: 'answer', status: 204, afterMs: 30 });
  const workers = Array.from({ length: 3 }, () => world.outbound({ poster }));
  while ((await world.states()).some(({ state }) => state !== 'delivered')) await Promise.all(workers.map(workOff));
  for (const user of ['a', 'b', 'c']) expect(sent().filter((id) => id?.startsWith(user))).toEqual(ids(user, 8));
  expect(most).toBe(1);
  expect(together).toBeGreaterThan(1);
  expect(sent()).toHaveLength(24);
}, 60_000);

it('a later event waits for one that failed, which is no failure and costs no attempt, and nobody else waits', async () => {
  await owe('a', '1');
  await owe('b', '1');
  await owe('a', '2', '3');
  await owe('b', '2');
  world.receiver.behaveNext({ do: 'answer', status: 500 });
  const worker = world.outbound();
  await worker.run(world.ref());
  const failed = sent()[0]?.slice(0, 1) as string;
  const other = failed === 'a' ? 'b' : 'a';
  await workOff(worker);
  expect(sent().filter((id) => id?.startsWith(failed))).toEqual([`${failed}_1`]);
  expect(sent().filter((id) => id?.startsWith(other))).toEqual(other === 'b' ? ['b_1', 'b_2'] : ['a_1', 'a_2', 'a_3']);
  expect(await world.delivery(`evt_${failed}_2`)).toMatchObject({ state: 'pending', attempts: 0, lease_token: null, awaits_turn: true });
  expect(await world.endpointRow()).toMatchObject({ status: 'enabled', failing_since: null });
  const due = await findDueEndpoints(world.db.pool, slice.rateStretchMs);
  expect(due.map(({ endpointId }) => endpointId)).not.toContain(world.endpoint.id);

  await world.rows('update event_delivery set next_attempt_at = now() where event_id = $1', `evt_${failed}_1`);
  await workOff(worker);
  expect(await world.states()).toEqual([{ state: 'delivered', n: 5, held: 0 }]);
  const mine = sent().filter((id) => id?.startsWith(failed));
  expect(mine).toEqual(failed === 'a' ? ['a_1', 'a_1', 'a_2', 'a_3'] : ['b_1', 'b_1', 'b_2']);
});

it('the next one goes when the one before was given up for good', async () => {
  await world.rows('update endpoint set schedule_s = $2 where id = $1', world.endpoint.id, [0]);
  await owe('a', '1', '2');
  world.receiver.behaveNext({ do: 'answer', status: 500 });
  await workOff(world.outbound());
  expect(sent()).toEqual(['a_1', 'a_2']);
  expect(await world.states()).toEqual([
    { state: 'delivered', n: 1, held: 0 },
    { state: 'failed', n: 1, held: 0 },
  ]);
});

it('and when the one before was cancelled by hand, at the latest when waiting ones are looked at again', async () => {
  await owe('a', '1', '2');
  world.receiver.behaveNext({ do: 'answer', status: 500 });
  const worker = world.outbound();
  await workOff(worker);
  await world.rows(`update event_delivery set state = 'cancelled', ended_at = now() where event_id = 'evt_a_1'`);
  await worker.run(world.ref());
  expect(sent()).toEqual(['a_1']);
  expect(Number((await world.delivery('evt_a_2')).wait_ms)).toBeLessThanOrEqual(slice.turnPutOffMs);
  await world.makeDue();
  await workOff(worker);
  expect(sent()).toEqual(['a_1', 'a_2']);
});

it('a replay of an earlier event waits for the one that is being sent', async () => {
  await owe('a', '1', '2');
  const worker = world.outbound();
  await workOff(worker);
  world.receiver.clear();
  await owe('a', '3');
  world.receiver.behave({ do: 'answer', status: 204, afterMs: 400 });
  const sending = worker.run(world.ref());
  await world.receiver.until((received) => received.length === 1);
  await world.rows(
    `update event_delivery set state = 'pending', attempts = 0, next_attempt_at = now(), ended_at = null where event_id = 'evt_a_1'`,
  );
  await world.outbound().run(world.ref());
  expect(sent()).toEqual(['a_3']);
  await sending;
  await workOff(worker);
  expect(sent()).toEqual(['a_3', 'a_1']);
});

it('events of nobody go as they come', async () => {
  for (let n = 0; n < 5; n += 1) await world.owe(`evt_nobody_${n}`);
  world.receiver.behaveNext({ do: 'answer', status: 500 });
  await workOff(world.outbound());
  expect(sent()).toHaveLength(5);
});

it('a person with a great many events does not keep others from being seen', async () => {
  const { tenantId, environment } = world.scope;
  await world.rows(
    `with e as (insert into event (tenant_id, environment, id, type, revision, occurred_at, user_id, data)
       select $1, $2, 'evt_many_' || n, 'daily.updated', 100000 + n, now(), 'usr_many', '{}' from generate_series(1, 2500) n returning id)
     insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at)
     select $1, $2, id, $3, now() - interval '1 minute' from e`,
    tenantId,
    environment,
    world.endpoint.id,
  );
  await owe('z', '1', '2');
  world.receiver.behaveNext({ do: 'answer', status: 500 });
  const worker = world.outbound();
  await worker.run(world.ref());
  await workOff(worker);
  expect(sent().filter((id) => id?.startsWith('z'))).toEqual(['z_1', 'z_2']);
  expect(sent().filter((id) => id?.startsWith('many'))).toHaveLength(1);
  expect(
    await world.rows(
      `select count(*)::int as n from event_delivery where endpoint_id = $1 and attempts = 0 and awaits_turn`,
      world.endpoint.id,
    ),
  ).toEqual([{ n: 2_499 }]);
}, 60_000);

it('a recovery keeps to the turns: each person again in order, and what is new waits behind what is owed again', async () => {
  await owe('a', '1', '2', '3');
  await owe('b', '1', '2');
  await world.rows('update endpoint set schedule_s = $2 where id = $1', world.endpoint.id, [0, 0]);
  world.receiver.behave({ do: 'answer', status: 500 });
  const worker = world.outbound();
  for (let n = 0; n < 12; n += 1) {
    // It rests after so many failures.
    await world.rows(`update endpoint_pace set rests_until = null, failures = 0`);
    await world.rows(`update event_delivery set next_attempt_at = now() where endpoint_id = $1 and state = 'pending'`, world.endpoint.id);
    await workOff(worker);
  }
  expect(await world.states()).toEqual([{ state: 'failed', n: 5, held: 0 }]);

  await world.rows('update revision_counter set last_revision = 1000000 where tenant_id = $1', world.scope.tenantId);
  const from = new Date('2026-12-01T00:00:00Z');
  const reach = await findReach(world.db.pool, world.scope, from);
  const all = { eventTypes: undefined, userIds: undefined, providers: undefined, metrics: undefined };
  await insertRecovery(world.db.pool, {
    ...{ ...world.scope, ...reach, ...all, id: 'rcv_turns', kind: 'recover', endpointId: world.endpoint.id, total: 5 },
    ...{ states: ['failed'], byFilters: false, from, to: new Date('2026-12-02T00:00:00Z') },
  });
  expect(await recoverDue({ pool: world.db.pool }, () => false)).toEqual([world.ref()]);
  await owe('a', '4');

  world.receiver.clear();
  world.receiver.behave({ do: 'answer', status: 204 });
  await world.rows('delete from endpoint_pace where endpoint_id = $1', world.endpoint.id);
  await workOff(world.outbound());
  expect(sent().filter((id) => id?.startsWith('a'))).toEqual(['a_1', 'a_2', 'a_3', 'a_4']);
  expect(sent().filter((id) => id?.startsWith('b'))).toEqual(['b_1', 'b_2']);
  expect(await world.states()).toEqual([{ state: 'delivered', n: 6, held: 0 }]);
}, 60_000);
