import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing, type Logger, createLog, createMetrics } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '@tributary/storage/testing/clone-database.js';
import { Seed, type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '@tributary/storage/testing/seed.js';
import { Webhook } from 'standardwebhooks';
import { type Received, type Receiver, startReceiver } from '../../../test/stand-ins/receiver-server.js';
import { addressPolicy } from './allowed-address.js';
import { DeliverSlice, type SliceDependencies } from './deliver-slice.js';
import { outboundMetrics } from './outbound-metrics.js';
import { createPoster } from './post-to-endpoint.js';

const keys = new KeyRing(TEST_KEYS);
const DAY = 86_400_000;
let db: TestDatabase;
let seed: Seed;
let scope: SeededEnvironment;
let receiver: Receiver;
let endpoint: SeededEndpoint;
let revision = 0;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  db = await cloneDatabase();
  seed = new Seed(db.pool, keys);
});
afterAll(async () => {
  await db.drop();
});
beforeEach(async () => {
  scope = await seed.environment();
  receiver = await startReceiver();
  endpoint = await seed.endpoint(scope, { url: `${receiver.url}/hooks` });
});
afterEach(async () => {
  await receiver.stop();
  for (const poster of opened.splice(0)) await poster.close();
});

interface Outbound extends DeliverSlice {
  readonly lines: Record<string, unknown>[];
  readonly metric: (name: string) => Promise<string[]>;
}
/** The slice worker of one process. */
function outbound(over: Partial<SliceDependencies> = {}): Outbound {
  const deadlineMs = over.deadlineMs ?? 5_000;
  const clock = over.clock ?? Date.now;
  const poster = over.poster ?? createPoster({ policy: addressPolicy(['127.0.0.0/8']), resolve: async () => ['127.0.0.1'], clock: Date.now, deadlineMs });
  opened.push(poster);
  const registry = createMetrics('outbound');
  const lines: Record<string, unknown>[] = [];
  const log = createLog('outbound', 'silent');
  for (const level of ['info', 'warn', 'error'] as const) log[level] = ((line: object) => void lines.push({ level, ...line })) as Logger['info'];
  const slices = new DeliverSlice({
    pool: db.pool, keys, poster, deadlineMs, clock, random: () => 0.5, log, metrics: outboundMetrics(registry), draining: () => false, ...over,
  });
  const metric = async (name: string) => (await registry.metrics()).split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'));
  return Object.assign(slices, { lines, metric });
}
const ref = (of = endpoint) => ({ tenantId: of.tenantId, environment: of.environment, endpointId: of.id });

async function owe(id: string, { to = [endpoint], type = 'daily.updated', data = `{"id":"${id}","note":"Zoë 😀"}` } = {}) {
  await db.pool.query(
    `insert into event (tenant_id, environment, id, type, revision, occurred_at, data) values ($1, $2, $3, $4, $5, '2026-12-01T09:14:00.123Z', $6)`,
    [scope.tenantId, scope.environment, id, type, ++revision, Buffer.from(data)]);
  for (const { id: endpointId } of to) {
    await db.pool.query(
      'insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at) values ($1, $2, $3, $4, now())',
      [scope.tenantId, scope.environment, id, endpointId]);
  }
}
const rows = async (text: string, ...values: unknown[]) => (await db.pool.query(text, values)).rows;
const delivery = async (id: string, of = endpoint) =>
  (await rows('select *, extract(epoch from next_attempt_at - now()) * 1000 as wait_ms from event_delivery where event_id = $1 and endpoint_id = $2', id, of.id))[0];
const attempts = (id: string) => rows('select * from delivery_attempt where event_id = $1 order by n', id);
const endpointRow = async (of = endpoint) => (await rows('select * from endpoint where id = $1', of.id))[0];
/** Time passes for what waits. */
const makeDue = () => rows("update event_delivery set next_attempt_at = now() where tenant_id = $1 and state in ('pending', 'sending')", scope.tenantId);
/** Any Standard Webhooks library must accept what we send. */
function verified(request: Received | undefined, secret = endpoint.secret): Record<string, unknown> {
  if (!request) throw new Error('Nothing was received');
  return new Webhook(secret).verify(request.body.toString('utf8'), request.headers) as Record<string, unknown>;
}

describe('a delivery', () => {
  it('is one signed POST whose body is the stored data in its envelope, and is on record', async () => {
    await owe('evt_01');
    const worker = outbound();
    expect(await worker.run(ref())).toBe(false);

    expect(receiver.received).toHaveLength(1);
    const request = receiver.received[0] as Received;
    expect(request.body.toString('utf8')).toBe(
      '{"type":"daily.updated","timestamp":"2026-12-01T09:14:00.123Z","deliveryAttempt":1,"data":{"id":"evt_01","note":"Zoë 😀"}}');
    expect(request).toMatchObject({
      method: 'POST', path: '/hooks',
      headers: { 'webhook-id': 'evt_01', 'content-type': 'application/json', 'user-agent': 'Tributary-Webhooks/1', 'content-length': String(request.body.length) },
    });
    expect(request.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    expect(Math.abs(Number(request.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(5);
    expect(verified(request)).toMatchObject({ type: 'daily.updated', data: { note: 'Zoë 😀' } });

    expect(await delivery('evt_01')).toMatchObject({ state: 'delivered', attempts: 1, lease_token: null, ended_at: expect.any(Date) });
    const [attempt, ...more] = await attempts('evt_01');
    expect(more).toEqual([]);
    expect(attempt).toMatchObject({ n: 1, outcome: 'delivered', status_code: 204, response_body: Buffer.alloc(0) });
    expect(attempt.response_headers).toHaveProperty('date');
    expect(await endpointRow()).toMatchObject({ consecutive_failures: 0, failing_since: null, last_success_at: expect.any(Date) });
    expect(worker.lines).toEqual([]);
    expect(await worker.metric('tributary_outbound_attempts_total')).toEqual(['tributary_outbound_attempts_total{outcome="delivered",service="outbound"} 1']);
    expect(await worker.metric('tributary_outbound_commit_to_first_byte_seconds_count')).toHaveLength(1);
    expect(await worker.metric('tributary_outbound_in_flight')).toEqual([]);
  });

  it('is tried again after a 500 with the same id and data, stamped and signed anew', async () => {
    await owe('evt_02');
    receiver.behaveNext({ do: 'answer', status: 500, body: 'oh no' });
    let now = Date.now() - 2_000;
    const worker = outbound({ clock: () => now });
    await worker.run(ref());
    expect(await delivery('evt_02')).toMatchObject({ state: 'pending', attempts: 1 });
    const { wait_ms: wait } = await delivery('evt_02');
    expect(Number(wait)).toBeGreaterThan(4_000);
    expect(Number(wait)).toBeLessThanOrEqual(5_000);
    expect(await worker.run(ref())).toBe(false);
    expect(receiver.received).toHaveLength(1);

    await makeDue();
    now += 2_000;
    await worker.run(ref());
    const [first, second] = receiver.received as [Received, Received];
    expect(verified(first)).toMatchObject({ deliveryAttempt: 1 });
    expect(verified(second)).toMatchObject({ deliveryAttempt: 2 });
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(Number(second.headers['webhook-timestamp'])).toBe(Number(first.headers['webhook-timestamp']) + 2);
    expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
    expect(second.body.toString().split('"data":')[1]).toBe(first.body.toString().split('"data":')[1]);
    expect(await delivery('evt_02')).toMatchObject({ state: 'delivered', attempts: 2 });
    expect(await attempts('evt_02')).toMatchObject([
      { n: 1, outcome: 'http_error', status_code: 500, response_body: Buffer.from('oh no') }, { n: 2, outcome: 'delivered', status_code: 204 },
    ]);
    expect(worker.lines).toEqual([expect.objectContaining({
      what: 'delivery.attempt_failed', endpointId: endpoint.id, eventId: 'evt_02', attempt: 1, outcome: 'http_error', status: 500, next: expect.any(String),
    })]);
    expect(JSON.stringify(worker.lines)).not.toMatch(/oh no|Zo|whsec|hooks/);
  });

  it("fails for good after the last attempt of the endpoint's own schedule", async () => {
    endpoint = await seed.endpoint(scope, { url: receiver.url, scheduleS: [0, 1] });
    await owe('evt_03');
    receiver.behave({ do: 'answer', status: 400 });
    const worker = outbound();
    for (let n = 0; n < 4; n += 1) {
      await worker.run(ref());
      await makeDue();
    }
    expect(receiver.received).toHaveLength(2);
    expect(await delivery('evt_03')).toMatchObject({ state: 'failed', attempts: 2, ended_at: expect.any(Date) });
    expect(await endpointRow()).toMatchObject({ status: 'enabled', consecutive_failures: 2, failing_since: expect.any(Date) });
    expect(worker.lines.at(-1)).toMatchObject({ attempt: 2, next: null });
  });

  it('is cancelled and never sent empty when its event has no data any more', async () => {
    await owe('evt_04');
    await owe('evt_05');
    await rows("update event set data = null where id = 'evt_04'");
    await rows("delete from event where id = 'evt_05'");
    expect(await outbound().run(ref())).toBe(false);
    expect(receiver.received).toHaveLength(0);
    for (const id of ['evt_04', 'evt_05']) {
      expect(await delivery(id)).toMatchObject({ state: 'cancelled', attempts: 0 });
      expect(await attempts(id)).toEqual([]);
    }
  });

  it('is never sent unsigned: without a usable secret it waits, at no cost', async () => {
    await owe('evt_06');
    await rows("update endpoint_secret set retires_at = now() - interval '1 s' where endpoint_id = $1", endpoint.id);
    const worker = outbound();
    await worker.run(ref());
    const foreign = new KeyRing(`other:${Buffer.alloc(32, 9).toString('base64')}`);
    await new Seed(db.pool, foreign).endpointSecret(endpoint);
    await makeDue();
    await worker.run(ref());
    expect(receiver.received).toHaveLength(0);
    const row = await delivery('evt_06');
    expect(row).toMatchObject({ state: 'pending', attempts: 0, lease_token: null });
    expect(Number(row.wait_ms)).toBeGreaterThan(55_000);
    expect(worker.lines.map(({ what }) => what)).toEqual(['delivery.no_secret', 'delivery.secret_unreadable', 'delivery.no_secret']);

    const good = await seed.endpointSecret(endpoint);
    await makeDue();
    await worker.run(ref());
    expect(verified(receiver.received[0], good.value)).toMatchObject({ deliveryAttempt: 1 });
  });
});

describe('rotation', () => {
  it('signs with both secrets while both live, also events that waited, and with the new one alone afterwards', async () => {
    await owe('evt_10');
    const next = await seed.endpointSecret(endpoint);
    await rows("update endpoint_secret set retires_at = now() + interval '1 hour' where id = $1", endpoint.secretId);
    const worker = outbound();
    await worker.run(ref());
    const both = receiver.received[0] as Received;
    expect(both.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(verified(both)).toBeTruthy();
    expect(verified(both, next.value)).toBeTruthy();

    await rows('update endpoint_secret set retires_at = now() where id = $1', endpoint.secretId);
    await owe('evt_11');
    await worker.run(ref());
    const after = receiver.received[1] as Received;
    expect(after.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    expect(verified(after, next.value)).toBeTruthy();
    expect(() => verified(after)).toThrow('No matching signature found');
  });
});

describe('what the endpoint answers', () => {
  it('410 disables it at once: nothing more is begun, what is owed stays owed', async () => {
    for (let n = 0; n < 40; n += 1) await owe(`evt_2${n}`);
    receiver.behave({ do: 'answer', status: 410 });
    const worker = outbound();
    await worker.run(ref());
    const sent = receiver.received.length;
    expect(sent).toBeLessThanOrEqual(16);
    expect(await endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: 'answered_410' });
    expect(worker.lines.at(-1)).toMatchObject({ what: 'endpoint.disabled', endpointId: endpoint.id, reason: 'answered_410' });

    await makeDue();
    expect(await worker.run(ref())).toBe(false);
    expect(receiver.received).toHaveLength(sent);
    expect((await rows("select count(*)::int as n from event_delivery where endpoint_id = $1 and state = 'pending'", endpoint.id))[0].n).toBe(40);

    receiver.behave({ do: 'answer', status: 200 });
    await rows("update endpoint set status = 'enabled' where id = $1", endpoint.id);
    await worker.run(ref());
    expect(receiver.received).toHaveLength(sent + 40);
  });

  it.each([429, 503])('%i with Retry-After is given the pause that it asks for', async (status) => {
    await owe(`evt_3${status}`);
    receiver.behave({ do: 'answer', status, headers: { 'retry-after': '90' } });
    await outbound().run(ref());
    const row = await delivery(`evt_3${status}`);
    expect(row).toMatchObject({ state: 'pending', attempts: 1 });
    expect(Number(row.wait_ms)).toBeGreaterThan(88_000);
    expect(Number(row.wait_ms)).toBeLessThanOrEqual(90_000);
  });

  it('a redirect is a failure and is not followed', async () => {
    await owe('evt_40');
    const elsewhere = await startReceiver();
    receiver.behave({ do: 'answer', status: 301, headers: { location: elsewhere.url } });
    await outbound().run(ref());
    expect(elsewhere.received).toHaveLength(0);
    expect(await attempts('evt_40')).toMatchObject([{ outcome: 'redirected', status_code: 301 }]);
    expect(await delivery('evt_40')).toMatchObject({ state: 'pending', attempts: 1 });
    await elsewhere.stop();
  });

  it('nothing at all is a timeout; the rest of the slice goes back unspent', async () => {
    for (let n = 0; n < 20; n += 1) await owe(`evt_5${n}`);
    receiver.behave({ do: 'hang' });
    const began = Date.now();
    expect(await outbound({ deadlineMs: 300 }).run(ref())).toBe(true);
    expect(Date.now() - began).toBeLessThan(2_500);
    const outcomes = await rows('select outcome, count(*)::int as n from delivery_attempt where endpoint_id = $1 group by 1', endpoint.id);
    expect(outcomes).toEqual([{ outcome: 'timeout', n: 16 }]);
    const left = await rows('select attempts, lease_token from event_delivery where endpoint_id = $1 and attempts = 0', endpoint.id);
    expect(left).toEqual(Array.from({ length: 4 }, () => ({ attempts: 0, lease_token: null })));
  });

  it('an address where we do not send is an outcome of its own', async () => {
    const inside = await seed.endpoint(scope, { url: 'http://169.254.169.254/latest/meta-data/' });
    await owe('evt_60', { to: [inside] });
    await outbound().run(ref(inside));
    expect(await rows('select outcome, status_code from delivery_attempt where endpoint_id = $1', inside.id)).toEqual([{ outcome: 'address_refused', status_code: null }]);
  });
});

describe('the health of an endpoint', () => {
  const failingFor = (days: number, failures: number) =>
    rows("update endpoint set failing_since = now() - $2 * interval '1 ms', last_success_at = now() - $2 * interval '1 ms', consecutive_failures = $3 where id = $1",
      endpoint.id, days * DAY, failures);

  it('disables it at the twentieth failure after five days without a success', async () => {
    await owe('evt_70');
    await failingFor(5, 19);
    receiver.behave({ do: 'answer', status: 500 });
    await outbound().run(ref());
    expect(await endpointRow()).toMatchObject({ status: 'disabled', disabled_reason: 'failed_too_long', consecutive_failures: 20 });
    expect(await delivery('evt_70')).toMatchObject({ state: 'pending', attempts: 1 });
  });

  it.each([['four days', 4, 30], ['eighteen failures before', 5, 18]])('does not disable it after %s', async (_name, days, failures) => {
    await owe('evt_71');
    await failingFor(days, failures);
    receiver.behave({ do: 'answer', status: 500 });
    await outbound().run(ref());
    expect(await endpointRow()).toMatchObject({ status: 'enabled', consecutive_failures: failures + 1 });
    await rows("delete from event where id = 'evt_71'");
  });

  it('is well again after one success', async () => {
    await owe('evt_72');
    await failingFor(9, 400);
    await outbound().run(ref());
    expect(await endpointRow()).toMatchObject({ status: 'enabled', consecutive_failures: 0, failing_since: null });
  });
});

describe('user.erased', () => {
  it('names the person until the last endpoint was told, and then no more', async () => {
    const second = await seed.endpoint(scope, { url: `${receiver.url}/second` });
    await owe('evt_80', { to: [endpoint, second], type: 'user.erased', data: '{"user":{"externalId":"Zoë-7"}}' });
    const worker = outbound();
    const dataOf = async () => (await rows("select data from event where id = 'evt_80'"))[0].data as Buffer | null;
    await worker.run(ref());
    expect((await dataOf())?.toString()).toContain('Zoë-7');
    receiver.behaveNext({ do: 'answer', status: 500 });
    await worker.run(ref(second));
    expect((await dataOf())?.toString()).toContain('Zoë-7');
    await makeDue();
    await worker.run(ref(second));
    expect(receiver.received.map(({ body }) => JSON.parse(body.toString()).data.user.externalId)).toEqual(['Zoë-7', 'Zoë-7', 'Zoë-7']);
    expect(await dataOf()).toBeNull();
  });
});

describe('processes that fail', () => {
  it('what was sent and not recorded is sent again with the same id once the lease ran out', async () => {
    await owe('evt_90');
    // Dies between the answer and the record.
    const dying = outbound({ deadlineMs: 200, poster: { post: async () => new Promise(() => undefined), close: async () => undefined } });
    void dying.run(ref());
    for (let n = 0; (await delivery('evt_90')).state !== 'sending'; n += 1) {
      if (n > 200) throw new Error('The delivery was never claimed');
      await new Promise((wait) => setTimeout(wait, 10));
    }
    const survivor = outbound();
    expect(await survivor.run(ref())).toBe(false);
    expect(receiver.received).toHaveLength(0);
    expect(Number((await delivery('evt_90')).wait_ms)).toBeLessThanOrEqual(3_000 + 200 + 2_000);
    await makeDue(); // the lease has ended
    await survivor.run(ref());
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_90']);
    expect(verified(receiver.received[0])).toMatchObject({ deliveryAttempt: 1 });
    expect(await delivery('evt_90')).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('two processes on one endpoint send each event once', async () => {
    const ids = Array.from({ length: 120 }, (_, n) => `evt_two_${n}`);
    for (const id of ids) await owe(id);
    const [one, two] = [outbound(), outbound()];
    const work = async (worker: Outbound) => { while (await worker.run(ref()));  };
    await Promise.all([work(one), work(two), work(one), work(two)]);
    expect([...receiver.timesReceived().entries()].sort()).toEqual(ids.map((id) => [id, 1]).sort());
    expect((await rows("select count(*)::int as n from event_delivery where endpoint_id = $1 and state = 'delivered'", endpoint.id))[0].n).toBe(120);
  });

  it('a receiver that was down gets every event when it is up, the same ids, none lost', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `evt_down_${n}`);
    await receiver.goDown();
    for (const id of ids) await owe(id);
    const worker = outbound();
    await worker.run(ref());
    expect(await rows('select distinct outcome from delivery_attempt where endpoint_id = $1', endpoint.id)).toEqual([{ outcome: 'connection_refused' }]);
    expect(await endpointRow()).toMatchObject({ consecutive_failures: 30, status: 'enabled' });
    await receiver.comeBack();
    await makeDue();
    await worker.run(ref());
    expect([...receiver.timesReceived().keys()].sort()).toEqual([...ids].sort());
    expect(await endpointRow()).toMatchObject({ consecutive_failures: 0, failing_since: null });
  });

  it('a database that is away for a moment after the sending costs no second sending', async () => {
    await owe('evt_91');
    let refuse = 2;
    const pool = new Proxy(db.pool, {
      get: (target, name) => name === 'connect'
        ? () => (refuse-- > 0 ? Promise.reject(new Error('the database is restarting')) : target.connect())
        : Reflect.get(target, name).bind(target),
    });
    const worker = outbound({ pool });
    await worker.run(ref());
    expect(receiver.received).toHaveLength(1);
    expect(await delivery('evt_91')).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(worker.lines.map(({ what }) => what)).toEqual(['delivery.record_failed', 'delivery.record_failed']);
  });

  it('a process that drains begins nothing, and gives back what it had claimed', async () => {
    for (let n = 0; n < 30; n += 1) await owe(`evt_drain_${n}`);
    let draining = false;
    receiver.behave({ do: 'answer', status: 204, afterMs: 150 });
    const worker = outbound({ draining: () => draining });
    const run = worker.run(ref());
    await receiver.until((received) => received.length >= 16);
    draining = true;
    expect(await run).toBe(false);
    expect(receiver.received).toHaveLength(16);
    const states = await rows('select state, count(*)::int as n, count(lease_token)::int as held from event_delivery where endpoint_id = $1 group by 1 order by 1', endpoint.id);
    expect(states).toEqual([{ state: 'delivered', n: 16, held: 0 }, { state: 'pending', n: 14, held: 0 }]);
    expect(await worker.run(ref())).toBe(false);
    expect(receiver.received).toHaveLength(16);
  });
});
