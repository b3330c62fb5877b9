import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedPostgres, freePort, startPostgres, startRedis } from '@tributary/embedded-services';
import { migrate } from '@tributary/migrations';
import { KeyRing } from '@tributary/service-shell';
import pg from 'pg';
import { createClient } from 'redis';
import { Seed, type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type Receiver, startReceiver } from '../../../test/stand-ins/receiver-server.js';
import { type OutboundProcess, startOutbound } from '../testing/outbound-process.js';
import { inFlightAtMost } from './deliver-slice.js';

// What a process, the queue and the database may lose, with servers of our own. oracles: how often each id came to the receiver, and rows.
let dir: string;
let postgres: EmbeddedPostgres;
let pool: pg.Pool;
let seed: Seed;
let scope: SeededEnvironment;
let receiver: Receiver;
let endpoint: SeededEndpoint;
const ending: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'tributary-losses-'));
  ending.push(async () => rmSync(dir, { recursive: true, force: true }));
  // Synced as in production: what was committed is there after the restart.
  postgres = await startPostgres({ dir: path.join(dir, 'pg'), port: await freePort(), durable: true });
  ending.push(() => postgres.stop());
  await migrate(postgres.url);
  pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  pool.on('error', () => undefined);
  ending.push(() => pool.end());
  seed = new Seed(pool, new KeyRing(TEST_KEYS));
  scope = await seed.environment();
  receiver = await startReceiver();
  ending.push(() => receiver.stop());
  endpoint = await seed.endpoint(scope, { url: `${receiver.url}/hooks` });
}, 120_000);
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
}, 60_000);

function start(environment: Record<string, string> = {}): OutboundProcess {
  const running = startOutbound(postgres.url, environment);
  ending.push(() => running.kill());
  return running;
}

async function owe(count: number): Promise<string[]> {
  await pool.query(
    `with e as (insert into event (tenant_id, environment, id, type, revision, occurred_at, data)
       select $1, $2, 'evt_' || n, 'daily.updated', n, now(), '{"value":1}' from generate_series(1, $4::int) n returning id)
     insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at) select $1, $2, id, $3, now() from e`,
    [scope.tenantId, scope.environment, endpoint.id, count],
  );
  return Array.from({ length: count }, (_, n) => `evt_${n + 1}`).sort();
}
const inState = async (state: string) =>
  (await pool.query('select count(*)::int as n from event_delivery where endpoint_id = $1 and state = $2', [endpoint.id, state])).rows[0]
    .n as number;
async function until(what: string, done: () => boolean | Promise<boolean>, output: () => string, timeoutMs = 90_000) {
  for (const end = Date.now() + timeoutMs; !(await done()); ) {
    if (Date.now() > end) throw new Error(`Not in time: ${what}\n${output()}`);
    await new Promise((wait) => setTimeout(wait, 50));
  }
}
const duplicates = () => [...receiver.timesReceived().values()].reduce((sum, times) => sum + times - 1, 0);
/** Attempts are as many as deliveries, each of its own number: a request whose record was lost left none. */
async function expectAllOnRecord(ids: readonly string[]) {
  expect([...receiver.timesReceived().keys()].sort()).toEqual(ids);
  const { rows } = await pool.query(
    `select count(*)::int as attempts, count(distinct event_id)::int as events, (select count(*)::int from event_delivery where lease_token is not null) as held
       from delivery_attempt where endpoint_id = $1 and outcome = 'delivered'`,
    [endpoint.id],
  );
  expect(rows).toEqual([{ attempts: ids.length, events: ids.length, held: 0 }]);
}

it('killed with -9 three times in the middle of sending: every event comes, and twice at most what was in flight', async () => {
  const ids = await owe(3_000);
  receiver.behave({ do: 'answer', status: 204, afterMs: 5 });
  let running = start();
  let kills = 0;
  for (const at of [300, 900, 1_500]) {
    await until(`${at} requests`, () => receiver.received.length >= at, running.output);
    await running.kill();
    kills += 1;
    // What is held under the lease of the dead is due again when it ends; here at once.
    await pool.query(`update event_delivery set next_attempt_at = now() where state = 'sending'`);
    running = start();
  }
  await until('everything is delivered', async () => (await inState('delivered')) === ids.length, running.output);
  expect(inFlightAtMost).toBe(16 + 64);
  expect(duplicates()).toBeLessThanOrEqual(kills * inFlightAtMost);
  await expectAllOnRecord(ids);
}, 240_000);

it('a process that stood still for longer than its lease changes nothing when it goes on: another one has sent what it held', async () => {
  const ids = await owe(600);
  receiver.behave({ do: 'answer', status: 204, afterMs: 100 });
  const stalled = start();
  await until('it is sending', () => receiver.received.length >= 60, stalled.output);
  stalled.child.kill('SIGSTOP');
  const other = start();
  // What the stalled one holds is due when its lease ends, fifteen seconds after the claim.
  await until('everything is delivered', async () => (await inState('delivered')) === ids.length, other.output);
  const before = receiver.received.length;
  await expectAllOnRecord(ids);
  const held = await pool.query('select event_id, n, started_at from delivery_attempt order by 1, 2');
  stalled.child.kill('SIGCONT');
  // It is awake, and has taken up work again: an event of now is delivered by one of the two.
  await pool.query(
    `insert into event (tenant_id, environment, id, type, revision, occurred_at, data) values ($1, $2, 'evt_0', 'daily.updated', 100000, now(), '{}')`,
    [scope.tenantId, scope.environment],
  );
  await other.kill();
  await pool.query(
    `insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at) values ($1, $2, 'evt_0', $3, now())`,
    [scope.tenantId, scope.environment, endpoint.id],
  );
  await until('the stalled one works again', async () => (await inState('delivered')) === ids.length + 1, stalled.output);
  expect(receiver.received).toHaveLength(before + 1);
  expect(duplicates()).toBeLessThanOrEqual(inFlightAtMost);
  expect((await pool.query(`select event_id, n, started_at from delivery_attempt where event_id <> 'evt_0' order by 1, 2`)).rows).toEqual(
    held.rows,
  );
}, 240_000);

it('Redis emptied again and again while it sends: every event comes, none twice', async () => {
  const redis = await startRedis({ dir: path.join(dir, 'redis') });
  if (redis === undefined) {
    console.warn('Not tested: an emptied Redis. There is no redis-server on the PATH.');
    return;
  }
  ending.push(() => redis.stop());
  const client = createClient({ url: redis.url });
  await client.connect();
  ending.push(async () => client.destroy());
  const ids = await owe(1_500);
  receiver.behave({ do: 'answer', status: 204, afterMs: 5 });
  const { output } = start({ REDIS_URL: redis.url });
  for (const at of [1, 300, 600, 900, 1_200]) {
    await until(`${at} requests`, () => receiver.received.length >= at, output);
    await client.flushAll();
  }
  await until('everything is delivered', async () => (await inState('delivered')) === ids.length, output);
  expect(duplicates()).toBe(0);
  await expectAllOnRecord(ids);
}, 240_000);

it('PostgreSQL restarted while it sends: every event comes, and twice at most what was in flight', async () => {
  const ids = await owe(2_000);
  receiver.behave({ do: 'answer', status: 204, afterMs: 5 });
  const { output } = start();
  await until('it is sending', () => receiver.received.length >= 400, output);
  const port = Number(new URL(postgres.url).port);
  await postgres.stop();
  const before = receiver.received.length;
  postgres = await startPostgres({ dir: path.join(dir, 'pg'), port, durable: true });
  await until(
    'everything is delivered',
    () =>
      inState('delivered')
        .then((n) => n === ids.length)
        .catch(() => false),
    output,
    150_000,
  );
  expect(before).toBeLessThan(ids.length);
  expect(duplicates()).toBeLessThanOrEqual(inFlightAtMost);
  await expectAllOnRecord(ids);
}, 300_000);
