import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RecoveryWish, countRecovered, endRecovery, findReach, findRecovery, insertRecovery, recoveryPace } from '@tributary/storage';
import { SliceWorld } from '../testing/slice-world.js';
import { recoverDue } from './recover-slice.js';

// doubles: none.  oracles: rows, and what the receiver got.
const world = new SliceWorld();
beforeAll(() => world.open());
beforeEach(() => world.begin());
afterEach(async () => {
  await world.rows('delete from recovery');
  await world.end();
});
afterAll(() => world.close());

type Pool = typeof world.db.pool;
let serial = 0;

const wishOf = (over: Partial<RecoveryWish> = {}): RecoveryWish => ({
  kind: 'recover',
  endpointId: world.endpoint.id,
  eventTypes: undefined,
  userIds: undefined,
  providers: undefined,
  metrics: undefined,
  states: ['failed', 'cancelled'],
  byFilters: false,
  from: new Date('2026-12-01T00:00:00Z'),
  to: new Date('2026-12-02T00:00:00Z'),
  ...over,
});

async function begin(over: Partial<RecoveryWish> = {}): Promise<string> {
  serial += 1;
  const id = `rcv_${serial}`;
  await world.rows('update revision_counter set last_revision = 1000000 where tenant_id = $1', world.scope.tenantId);
  const wish = wishOf(over);
  const reach = await findReach(world.db.pool, world.scope, wish.from);
  const total = await countRecovered(world.db.pool, world.scope, reach, wish);
  await insertRecovery(world.db.pool, { ...wish, ...reach, ...world.scope, id, total });
  return id;
}

const recover = (pool: Pool = world.db.pool) => recoverDue({ pool }, () => false);
const rowOf = async (id: string) => {
  const row = await findRecovery(world.db.pool, world.scope, id);
  if (row === undefined) throw new Error('There is no such recovery');
  return row;
};
/** Time passes for recoveries, and what is due at the endpoint goes out, until they have ended. */
async function runOut(id: string, pool?: Pool): Promise<void> {
  for (let n = 0; n < 100 && (await rowOf(id)).state === 'running'; n += 1) {
    await world.rows('update recovery set slice_at = now() where slice_at is not null');
    await recover(pool);
  }
}
const end = (id: string, state: string, attempts = 8) =>
  world.rows('update event_delivery set state = $2, attempts = $3, ended_at = now() where event_id = $1', id, state, attempts);
const stateOf = async (id: string) => (await world.delivery(id))?.state as string | undefined;

async function failed(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `evt_${world.scope.tenantId}_${n}`);
  for (const id of ids) await world.owe(id);
  await world.rows(`update event_delivery set state = 'failed', attempts = 8, ended_at = now() where endpoint_id = $1`, world.endpoint.id);
  return ids;
}

describe('a recovery', () => {
  it('sends again what failed or was cancelled, under its old id, signed anew, with its retries before it, and nothing else', async () => {
    for (const id of ['evt_failed', 'evt_cancelled', 'evt_delivered', 'evt_waiting']) await world.owe(id);
    await end('evt_failed', 'failed');
    await end('evt_cancelled', 'cancelled', 0);
    await end('evt_delivered', 'delivered', 1);
    await world.rows(`update event_delivery set next_attempt_at = now() + interval '1 hour', attempts = 3 where event_id = 'evt_waiting'`);
    const id = await begin();
    expect(await recover()).toEqual([world.ref()]);
    expect(await rowOf(id)).toMatchObject({ state: 'completed', total: 2, queued: 2, endedAt: expect.any(Date) });
    expect(await world.delivery('evt_failed')).toMatchObject({ state: 'pending', attempts: 1, ended_at: null, lease_token: null });
    expect(await world.delivery('evt_cancelled')).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await world.delivery('evt_waiting')).toMatchObject({ state: 'pending', attempts: 3 });
    expect((await world.delivery('evt_waiting'))?.wait_ms).toBeGreaterThan(3_000_000);
    await world.outbound().run(world.ref());
    expect(world.receiver.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(['evt_cancelled', 'evt_failed']);
    for (const one of world.receiver.received)
      expect(world.verified(one)).toMatchObject({ type: 'daily.updated', timestamp: '2026-12-01T09:14:00.123Z' });
    expect(await world.delivery('evt_failed')).toMatchObject({ state: 'delivered', attempts: 2 });
    expect(await world.attempts('evt_failed')).toMatchObject([{ n: 9, outcome: 'delivered' }]);
  });

  it('works a second time', async () => {
    await failed(1);
    for (let n = 0; n < 2; n += 1) {
      await runOut(await begin());
      await world.outbound().run(world.ref());
      await world.rows(`update event_delivery set state = 'failed' where endpoint_id = $1`, world.endpoint.id);
    }
    const ids = world.receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('goes slice by slice in the order of revisions, at its pace', async () => {
    const ids = await failed(recoveryPace.slice + 30);
    const id = await begin();
    await recover();
    expect(await rowOf(id)).toMatchObject({ state: 'running', total: ids.length, queued: recoveryPace.slice });
    expect(await stateOf(ids[recoveryPace.slice - 1] as string)).toBe('pending');
    expect(await stateOf(ids[recoveryPace.slice] as string)).toBe('failed');
    const [row] = await world.rows("select slice_at > created_at + interval '900 ms' as later from recovery where id = $1", id);
    expect(row).toEqual({ later: true });
    await runOut(id);
    expect(await rowOf(id)).toMatchObject({ state: 'completed', queued: ids.length });
    expect(await world.states()).toEqual([{ state: 'pending', n: ids.length, held: 0 }]);
  });

  it('leaves an endpoint alone that has much to do already: what is fresh is not crowded out', async () => {
    await failed(1);
    for (let n = 0; n <= recoveryPace.room; n += 1) await world.owe(`evt_fresh_${n}`);
    const id = await begin();
    expect(await recover()).toEqual([]);
    expect(await rowOf(id)).toMatchObject({ state: 'running', queued: 0 });
    await world.rows(`update event_delivery set state = 'delivered' where event_id = 'evt_fresh_0'`);
    await runOut(id);
    expect(await rowOf(id)).toMatchObject({ state: 'completed', queued: 1 });
  });

  it('killed at any of its statements it goes on where it was, and owes nothing twice', async () => {
    const ids = await failed(recoveryPace.slice + 5);
    const id = await begin({ states: ['failed', 'delivered'] });
    const killedAt: string[] = [];
    const whole = [
      ...['recoveries/claim-recovery', 'recoveries/read-recovery-slice', 'recoveries/find-busy-endpoints', 'resolved/hold-people'],
      ...['lock-events', 'recoveries/owe-recovered', 'recoveries/advance-recovery', 'commit'],
    ];
    for (const statement of whole) {
      await world.rows('update recovery set slice_at = now() where slice_at is not null');
      await expect(recover(dyingPool(statement, killedAt))).rejects.toThrow();
      expect(await rowOf(id)).toMatchObject({ state: 'running', queued: 0 });
      expect(await world.states()).toEqual([{ state: 'failed', n: ids.length, held: 0 }]);
    }
    expect(killedAt).toEqual(whole);
    await runOut(id);
    // What had gone out already when a slice is done again would be owed twice: the mark stands with what it owes.
    await world.rows(`update event_delivery set state = 'delivered' where endpoint_id = $1`, world.endpoint.id);
    await recover();
    expect(await rowOf(id)).toMatchObject({ state: 'completed', queued: ids.length, total: ids.length });
    expect(await world.states()).toEqual([{ state: 'delivered', n: ids.length, held: 0 }]);
  });

  it('worked by many processes at once counts each delivery once', async () => {
    const ids = await failed(250);
    const id = await begin();
    for (let n = 0; n < 20 && (await rowOf(id)).state === 'running'; n += 1) {
      await world.rows('update recovery set slice_at = now() where slice_at is not null');
      await world.rows(`update event_delivery set next_attempt_at = now() + interval '1 hour' where endpoint_id = $1`, world.endpoint.id);
      await Promise.all([recover(), recover(), recover()]);
    }
    expect(await rowOf(id)).toMatchObject({ state: 'completed', queued: ids.length });
  });

  it('of replay-missing: what is missing by the filters of today, also from before the endpoint; what was for another endpoint is not', async () => {
    const late = await world.seed.endpoint(world.scope, {
      url: `${world.receiver.url}/late`,
      eventTypes: ['daily.updated', 'endpoint.test'],
    });
    await world.owe('evt_steps', { data: '{"metric":"steps","provider":"oura","note":"\\u0000 \\ud83d \\\\u0041 \\\\\\u0000"}' });
    await world.owe('evt_floors', { data: '{"metric":"floors","provider":"oura"}' });
    await world.owe('evt_polar', { data: '{"metric":"steps","provider":"polar"}' });
    await world.owe('evt_night', { type: 'sleep.updated', data: '{"metric":"sleep_session","provider":"oura"}' });
    await world.owe('evt_test', { type: 'endpoint.test' });
    await world.owe('evt_had', { to: [late], data: '{"metric":"steps","provider":"oura"}' });
    await end('evt_had', 'delivered', 1);
    await world.rows(`update endpoint set metrics = '{steps}', providers = '{oura}' where id = $1`, late.id);
    const id = await begin({ kind: 'replay_missing', endpointId: late.id, states: ['failed', 'cancelled', 'missing'], byFilters: true });
    await runOut(id);
    expect(await rowOf(id)).toMatchObject({ total: 1, queued: 1 });
    const owed = await world.rows('select event_id, state, attempts from event_delivery where endpoint_id = $1 order by 1', late.id);
    expect(owed).toEqual([
      { event_id: 'evt_had', state: 'delivered', attempts: 1 },
      { event_id: 'evt_steps', state: 'pending', attempts: 0 },
    ]);
  });

  it('waits while its endpoint is disabled, goes on once it is enabled, and ends with it', async () => {
    await failed(1);
    const id = await begin();
    await world.rows(`update endpoint set status = 'disabled' where id = $1`, world.endpoint.id);
    await recover();
    expect(await rowOf(id)).toMatchObject({ state: 'running', queued: 0, endpointStatus: 'disabled' });
    await world.rows(`update endpoint set status = 'enabled' where id = $1`, world.endpoint.id);
    await runOut(id);
    expect(await rowOf(id)).toMatchObject({ state: 'completed', queued: 1 });
    const second = await begin();
    await world.rows('delete from endpoint where id = $1', world.endpoint.id);
    await runOut(second);
    expect(await rowOf(second)).toMatchObject({ state: 'cancelled', queued: 0 });
  });

  it('that was cancelled does nothing more', async () => {
    const ids = await failed(2);
    const id = await begin();
    expect(await endRecovery(world.db.pool, world.scope, id, 'cancelled')).toBe(true);
    expect(await endRecovery(world.db.pool, world.scope, id, 'cancelled')).toBe(false);
    await recover();
    expect(await rowOf(id)).toMatchObject({ state: 'cancelled', queued: 0 });
    expect(await stateOf(ids[0] as string)).toBe('failed');
  });
});

describe('who was erased', () => {
  it('is not brought back: an erasure that is under way is waited for, and leaves nothing to send', async () => {
    const user = await world.seed.user(world.scope);
    const [gone, kept] = await failed(2);
    await world.rows('update event set user_id = $2 where id = $1', gone, user.id);
    const id = await begin();
    const erasing = await world.db.pool.connect();
    await erasing.query('begin');
    await erasing.query('select from app_user where id = $1 for update', [user.id]);
    await erasing.query('delete from event_delivery where event_id = $1', [gone]);
    let owed: unknown = 'waits';
    const recovering = recover().then((endpoints) => (owed = endpoints));
    await new Promise((wait) => setTimeout(wait, 300));
    expect(owed).toBe('waits');
    await erasing.query('delete from event where id = $1', [gone]);
    await erasing.query('delete from app_user where id = $1', [user.id]);
    await erasing.query('commit');
    erasing.release();
    await recovering;
    expect(owed).toEqual([world.ref()]);
    expect(await world.rows('select event_id, state from event_delivery where endpoint_id = $1', world.endpoint.id)).toEqual([
      { event_id: kept, state: 'pending' },
    ]);
    expect(await rowOf(id)).toMatchObject({ state: 'completed', total: 2, queued: 1 });
  });

  it('is not brought back from an event that was scrubbed', async () => {
    const [id] = await failed(1);
    await world.rows('update event set data = null where id = $1', id);
    await runOut(await begin({ states: ['failed', 'cancelled', 'delivered', 'missing'] }));
    expect(await stateOf(id as string)).toBe('failed');
  });
});

describe('the beginning of a reach', () => {
  it('is halved to, over gaps, whatever the time', async () => {
    for (const revision of [3, 4, 9, 500, 501, 99_999]) {
      await world.rows(
        `insert into event (tenant_id, environment, id, type, revision, occurred_at) values ($1, $2, $3, 'daily.updated', $4, $5)`,
        ...[
          world.scope.tenantId,
          world.scope.environment,
          `evt_at_${revision}`,
          revision,
          new Date(Date.UTC(2026, 10, 1) + revision * 3_600_000),
        ],
      );
    }
    await world.rows('update revision_counter set last_revision = 100000 where tenant_id = $1', world.scope.tenantId);
    const reachOf = (hours: number) => findReach(world.db.pool, world.scope, new Date(Date.UTC(2026, 10, 1) + hours * 3_600_000 + 120_000));
    expect(await reachOf(0)).toEqual({ reached: 0, toRevision: 100_000 });
    for (const [hours, reached] of [
      [3, 3],
      [4, 4],
      [8, 4],
      [9, 9],
      [499, 9],
      [500, 500],
      [501, 501],
      [99_998, 501],
      [99_999, 99_999],
    ] as const)
      expect((await reachOf(hours)).reached).toBeGreaterThanOrEqual(reached);
    for (const [hours, next] of [
      [0, 3],
      [4, 9],
      [9, 500],
      [501, 99_999],
    ] as const)
      expect((await reachOf(hours)).reached).toBeLessThan(next);
  });
});

/** A pool whose connection breaks as the process of a killed one would, at a statement. */
function dyingPool(statement: string, killedAt: string[]): Pool {
  const { pool } = world.db;
  const connect = async () => {
    const client = await pool.connect();
    const query = async (given: string | { name: string }) => {
      if ((typeof given === 'string' ? given : given.name) === statement) {
        killedAt.push(statement);
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
        await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      }
      return client.query(given as string);
    };
    return new Proxy(client, {
      get: (target, name) => {
        const value: unknown = name === 'query' ? query : Reflect.get(target, name);
        return typeof value === 'function' && name !== 'query' ? value.bind(target) : value;
      },
    });
  };
  return { connect } as unknown as Pool;
}
