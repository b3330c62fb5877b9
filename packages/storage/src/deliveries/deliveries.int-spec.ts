import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { type OwedEvent, oweEvent } from '../../testing/owe-event.js';
import { Seed, type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../testing/seed.js';
import { claimDeliveries } from './claim-deliveries.js';
import { disableEndpoint } from './disable-endpoint.js';
import { lockEvents } from './lock-events.js';
import { type DeliveryResult, type SliceResults, recordResults } from './record-results.js';
import { scrubToldErasures } from './scrub-told-erasures.js';

let db: TestDatabase;
let seed: Seed;
let scope: SeededEnvironment;
let endpoint: SeededEndpoint;

beforeAll(async () => {
  db = await cloneDatabase();
  seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
});
afterAll(async () => {
  await db.drop();
});
beforeEach(async () => {
  scope = await seed.environment();
  endpoint = await seed.endpoint(scope, { scheduleS: [0, 5] });
});

const owe = (id: string, { to = endpoint, ...owed }: OwedEvent & { to?: SeededEndpoint } = {}) => oweEvent(db.pool, to, id, owed);
const ref = (of: SeededEndpoint = endpoint) => ({ tenantId: of.tenantId, environment: of.environment, endpointId: of.id });
const claim = (over: { limit?: number; leaseToken?: string; leaseMs?: number; of?: SeededEndpoint } = {}) =>
  claimDeliveries(db.pool, {
    ...ref(over.of),
    limit: over.limit ?? 50,
    leaseToken: over.leaseToken ?? randomUUID(),
    leaseMs: over.leaseMs ?? 15_000,
  });
const delivery = async (id: string) => {
  const wait = 'extract(epoch from next_attempt_at - now()) * 1000 as wait_ms';
  return (await db.pool.query(`select *, ${wait} from event_delivery where event_id = $1`, [id])).rows[0];
};
const attemptsOf = async (id: string) => (await db.pool.query('select * from delivery_attempt where event_id = $1 order by n', [id])).rows;

const delivered = (eventId: string): DeliveryResult => ({
  eventId,
  state: 'delivered',
  waitMs: 0,
  attempt: {
    startedAt: 1_796_116_440_123,
    durationMs: 12.4,
    outcome: 'delivered',
    status: 200,
    responseHeaders: { 'x-a': 'é' },
    responseBody: Buffer.from([0, 255, 10]),
  },
});
const refused = (eventId: string, waitMs = 5_000): DeliveryResult => ({
  eventId,
  state: 'pending',
  waitMs,
  attempt: {
    startedAt: 1_796_116_440_123,
    durationMs: 3,
    outcome: 'connection_refused',
    status: undefined,
    responseHeaders: undefined,
    responseBody: undefined,
  },
});
const none = { lastSuccessAt: undefined, firstFailureAt: undefined, failures: 0 };
const record = (leaseToken: string, results: DeliveryResult[], health: SliceResults['health'] = none) =>
  recordResults(db.pool, { ...ref(), leaseToken, results, health });

describe('claiming', () => {
  it('takes what is due with all that is needed to send it, and puts it under a lease', async () => {
    await owe('evt_a', { attempts: 2 });
    await owe('evt_later', { dueInMs: 60_000 });
    await owe('evt_done', { state: 'delivered' });
    const leaseToken = randomUUID();
    const claimed = await claim({ leaseToken });
    expect(claimed).toEqual([
      {
        eventId: 'evt_a',
        attempts: 2,
        url: endpoint.url,
        scheduleS: [0, 5],
        type: 'daily.updated',
        occurredAt: expect.any(Date),
        data: Buffer.from('{"id":"evt_a"}'),
      },
    ]);
    const row = await delivery('evt_a');
    expect(row).toMatchObject({ state: 'sending', lease_token: leaseToken, attempts: 2 });
    expect(Number(row.wait_ms)).toBeGreaterThan(14_000);
    expect(Number(row.wait_ms)).toBeLessThanOrEqual(15_000);
    expect(await delivery('evt_later')).toMatchObject({ state: 'pending', lease_token: null });
  });

  it('takes nothing twice while the lease holds, and again once it ran out', async () => {
    await owe('evt_b');
    expect(await claim({ leaseMs: 150 })).toHaveLength(1);
    expect(await claim()).toHaveLength(0);
    await new Promise((wait) => setTimeout(wait, 200));
    expect(await claim()).toMatchObject([{ eventId: 'evt_b', attempts: 0 }]);
  });

  it('gives each delivery to one of many who claim at once', async () => {
    for (let n = 0; n < 40; n += 1) await owe(`evt_many_${n}`);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim({ limit: 10 })));
    const ids = claims.flat().map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await claim();
    expect(new Set([...ids, ...rest.map(({ eventId }) => eventId)]).size).toBe(40);
  });

  it('takes first attempts before retries, oldest first, and keeps every fifth place for a retry', async () => {
    for (let n = 0; n < 12; n += 1) await owe(`evt_new_${String(n).padStart(2, '0')}`, { dueInMs: -1_000 + n });
    for (let n = 0; n < 12; n += 1) await owe(`evt_old_${String(n).padStart(2, '0')}`, { attempts: 1, dueInMs: -60_000 + n });
    const ids = (await claim({ limit: 10 })).map(({ eventId }) => eventId);
    expect(ids).toEqual([
      'evt_new_00',
      'evt_new_01',
      'evt_new_02',
      'evt_new_03',
      'evt_new_04',
      'evt_new_05',
      'evt_new_06',
      'evt_new_07',
      'evt_old_00',
      'evt_old_01',
    ]);
  });

  it('fills the slice with retries when nothing is new', async () => {
    for (let n = 0; n < 6; n += 1) await owe(`evt_r_${n}`, { attempts: 3 });
    expect(await claim({ limit: 5 })).toHaveLength(5);
  });

  it('takes nothing of a disabled endpoint', async () => {
    await owe('evt_c');
    await disableEndpoint(db.pool, ref(), 'answered_410');
    expect(await claim()).toEqual([]);
    expect(await delivery('evt_c')).toMatchObject({ state: 'pending', lease_token: null });
  });

  it("takes nothing of another tenant's endpoint of the same id", async () => {
    await owe('evt_d');
    const other = await seed.environment();
    expect(
      await claimDeliveries(db.pool, { ...ref(), tenantId: other.tenantId, limit: 50, leaseToken: randomUUID(), leaseMs: 1_000 }),
    ).toEqual([]);
    expect(await claimDeliveries(db.pool, { ...ref(), environment: 'live', limit: 50, leaseToken: randomUUID(), leaseMs: 1_000 })).toEqual(
      [],
    );
  });

  it('hands over deliveries whose event is scrubbed or gone, without data', async () => {
    await owe('evt_scrubbed', { data: null });
    await owe('evt_gone');
    await db.pool.query("delete from event where id = 'evt_gone'");
    const claimed = await claim();
    expect(claimed.find(({ eventId }) => eventId === 'evt_scrubbed')).toMatchObject({ type: 'daily.updated', data: null });
    expect(claimed.find(({ eventId }) => eventId === 'evt_gone')).toMatchObject({ type: null, occurredAt: null, data: null });
  });
});

describe('recording', () => {
  it('writes state, attempt and health of a slice', async () => {
    await owe('evt_1');
    await owe('evt_2', { attempts: 1 });
    const leaseToken = randomUUID();
    await claim({ leaseToken });
    const health = { lastSuccessAt: 1_796_116_440_135, firstFailureAt: 1_796_116_440_140, failures: 1 };
    expect(await record(leaseToken, [refused('evt_2'), delivered('evt_1')], health)).toEqual({
      recorded: 2,
      failingSince: new Date(1_796_116_440_140),
      consecutiveFailures: 1,
      lastSuccessAt: new Date(1_796_116_440_135),
    });
    expect(await delivery('evt_1')).toMatchObject({ state: 'delivered', attempts: 1, lease_token: null, ended_at: expect.any(Date) });
    const waiting = await delivery('evt_2');
    expect(waiting).toMatchObject({ state: 'pending', attempts: 2, lease_token: null, ended_at: null });
    expect(Number(waiting.wait_ms)).toBeGreaterThan(4_000);
    expect(Number(waiting.wait_ms)).toBeLessThanOrEqual(5_000);
    expect(await attemptsOf('evt_1')).toEqual([
      {
        tenant_id: scope.tenantId,
        environment: 'test',
        event_id: 'evt_1',
        endpoint_id: endpoint.id,
        n: 1,
        started_at: new Date(1_796_116_440_123),
        duration_ms: 12,
        outcome: 'delivered',
        status_code: 200,
        response_headers: { 'x-a': 'é' },
        response_body: Buffer.from([0, 255, 10]),
      },
    ]);
    expect(await attemptsOf('evt_2')).toMatchObject([
      { n: 2, outcome: 'connection_refused', status_code: null, response_headers: null, response_body: null },
    ]);
  });

  it('writes nothing for who no longer holds the lease', async () => {
    await owe('evt_3');
    const [lost, held] = [randomUUID(), randomUUID()];
    await claim({ leaseToken: lost, leaseMs: 0 });
    await claim({ leaseToken: held });
    expect(await record(lost, [delivered('evt_3')], { ...none, lastSuccessAt: 5 })).toEqual({
      recorded: 0,
      failingSince: null,
      consecutiveFailures: null,
      lastSuccessAt: null,
    });
    expect(await delivery('evt_3')).toMatchObject({ state: 'sending', lease_token: held, attempts: 0 });
    expect(await attemptsOf('evt_3')).toEqual([]);
    expect(await record(held, [delivered('evt_3')])).toMatchObject({ recorded: 1 });
    expect(await record(held, [delivered('evt_3')])).toMatchObject({ recorded: 0 });
    expect(await attemptsOf('evt_3')).toHaveLength(1);
  });

  it('gives back what was not tried at no cost, and cancels without an attempt', async () => {
    await owe('evt_4', { attempts: 1 });
    await owe('evt_5');
    const leaseToken = randomUUID();
    await claim({ leaseToken });
    await record(leaseToken, [
      { eventId: 'evt_4', state: 'pending', waitMs: 0, attempt: undefined },
      { eventId: 'evt_5', state: 'cancelled', waitMs: 0, attempt: undefined },
    ]);
    expect(await delivery('evt_4')).toMatchObject({ state: 'pending', attempts: 1, lease_token: null, ended_at: null });
    expect(await delivery('evt_5')).toMatchObject({ state: 'cancelled', attempts: 0, ended_at: expect.any(Date) });
    expect([...(await attemptsOf('evt_4')), ...(await attemptsOf('evt_5'))]).toEqual([]);
    expect((await claim()).map(({ eventId }) => eventId)).toEqual(['evt_4']);
  });

  it('numbers attempts on after a replay that began to count anew', async () => {
    await owe('evt_6');
    for (let n = 0; n < 2; n += 1) {
      const leaseToken = randomUUID();
      await db.pool.query("update event_delivery set state = 'pending', attempts = 0, next_attempt_at = now() where event_id = 'evt_6'");
      await claim({ leaseToken });
      expect(await record(leaseToken, [delivered('evt_6')])).toMatchObject({ recorded: 1 });
    }
    expect((await attemptsOf('evt_6')).map(({ n }) => n)).toEqual([1, 2]);
  });

  it('adds failures up, keeps the first one, and forgets them at a success', async () => {
    const step = async (results: (id: string) => DeliveryResult, health: SliceResults['health']) => {
      const leaseToken = randomUUID();
      const id = `evt_h_${leaseToken}`;
      await owe(id);
      await claim({ leaseToken });
      return record(leaseToken, [results(id)], health);
    };
    expect(await step(refused, { ...none, firstFailureAt: 1_000, failures: 3 })).toMatchObject({
      failingSince: new Date(1_000),
      consecutiveFailures: 3,
      lastSuccessAt: null,
    });
    expect(await step(refused, { ...none, firstFailureAt: 9_000, failures: 2 })).toMatchObject({
      failingSince: new Date(1_000),
      consecutiveFailures: 5,
    });
    expect(await step(delivered, { ...none, lastSuccessAt: 10_000 })).toMatchObject({
      failingSince: null,
      consecutiveFailures: 0,
      lastSuccessAt: new Date(10_000),
    });
    expect(await step(refused, { lastSuccessAt: 11_000, firstFailureAt: 12_000, failures: 1 })).toMatchObject({
      failingSince: new Date(12_000),
      consecutiveFailures: 1,
      lastSuccessAt: new Date(11_000),
    });
    expect(await step(delivered, { ...none, lastSuccessAt: 10_500 })).toMatchObject({ lastSuccessAt: new Date(11_000) });
  });

  it('writes nothing of a person whose erasure comes in between, and leaves no answer that came after', async () => {
    const app = await seed.app(scope);
    const user = await seed.user(scope);
    const connection = await seed.connection(app, user);
    await owe('evt_person', { userId: user.id });
    const leaseToken = randomUUID();
    await claim({ leaseToken });

    const erasing = await db.pool.connect();
    await erasing.query('begin');
    await erasing.query('select from connection where id = $1 for update', [connection.id]);
    await erasing.query("delete from delivery_attempt where event_id = 'evt_person'");
    let recorded: unknown = 'waits';
    const recording = record(leaseToken, [delivered('evt_person')]).then((result) => {
      recorded = result;
    });
    await new Promise((wait) => setTimeout(wait, 200));
    expect(recorded).toBe('waits');
    await erasing.query("delete from event_delivery where event_id = 'evt_person'");
    await erasing.query("delete from event where id = 'evt_person'");
    await erasing.query('delete from connection where id = $1', [connection.id]);
    await erasing.query('commit');
    erasing.release();
    await recording;
    expect(recorded).toMatchObject({ recorded: 0 });
    expect(await attemptsOf('evt_person')).toEqual([]);
  });
});

describe('user.erased', () => {
  const scrub = () => scrubToldErasures(db.pool, scope, ['evt_erased', 'evt_other']);
  const dataOf = async (id: string) =>
    (await db.pool.query('select data from event where tenant_id = $1 and id = $2', [scope.tenantId, id])).rows[0].data;

  it('is scrubbed when everybody was told, and no other type ever is', async () => {
    const second = await seed.endpoint(scope);
    await owe('evt_erased', { type: 'user.erased', state: 'delivered' });
    await owe('evt_erased', { type: 'user.erased', state: 'sending', to: second });
    await owe('evt_other', { state: 'delivered' });
    expect(await scrub()).toBe(0);
    expect(await dataOf('evt_erased')).not.toBeNull();
    await db.pool.query("update event_delivery set state = 'failed' where event_id = 'evt_erased' and endpoint_id = $1", [second.id]);
    expect(await scrub()).toBe(1);
    expect(await dataOf('evt_erased')).toBeNull();
    expect(await dataOf('evt_other')).not.toBeNull();
  });

  it('is scrubbed by the later of two that finish it at the same moment', async () => {
    const second = await seed.endpoint(scope);
    await owe('evt_erased', { type: 'user.erased', state: 'sending' });
    await owe('evt_erased', { type: 'user.erased', state: 'sending', to: second });
    const [one, two] = [await db.pool.connect(), await db.pool.connect()];
    const scrubbed: number[] = [];
    const finish = async (client: typeof one, of: SeededEndpoint) => {
      await client.query('begin');
      await client.query("update event_delivery set state = 'delivered' where event_id = 'evt_erased' and endpoint_id = $1", [of.id]);
      return async () => {
        await lockEvents(client, scope, ['evt_erased']);
        scrubbed.push(await scrubToldErasures(client, scope, ['evt_erased']));
        await client.query('commit');
      };
    };
    const [endOne, endTwo] = [await finish(one, endpoint), await finish(two, second)];
    await Promise.all([endOne(), endTwo()]);
    one.release();
    two.release();
    expect(scrubbed.sort()).toEqual([0, 1]);
    expect(await dataOf('evt_erased')).toBeNull();
  });
});
