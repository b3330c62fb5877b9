import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type NewRecovery, countRecovered, findRecovery, insertRecovery, recoveryPace } from '@tributary/storage';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { oweEvent } from '../../../packages/storage/testing/owe-event.js';
import { Seed, type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type Receiver, startReceiver } from '../../../test/stand-ins/receiver-server.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

// doubles: none: the process as it runs in production.  oracles: what the receiver got, and rows.
describe('recoveries in the outbound process', () => {
  let db: TestDatabase;
  let scope: SeededEnvironment;
  let receiver: Receiver;
  let endpoint: SeededEndpoint;
  const running: { child: ChildProcess; exited: Promise<unknown> }[] = [];
  let output = '';

  beforeAll(async () => {
    db = await cloneDatabase();
  });
  beforeEach(async () => {
    const seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
    scope = await seed.environment();
    receiver = await startReceiver();
    endpoint = await seed.endpoint(scope, { url: `${receiver.url}/hooks` });
  });
  afterEach(async () => {
    for (const { child, exited } of running.splice(0)) {
      child.kill('SIGKILL');
      await exited;
    }
    await receiver.stop();
  });
  afterAll(() => db.drop());

  function start() {
    const env = {
      ...{ PATH: process.env['PATH'] ?? '', DATABASE_URL: db.url, TRIBUTARY_KEYS: TEST_KEYS },
      ...{ OUTBOUND_PORT: '0', OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8' },
    };
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    const process_ = { child, exited: once(child, 'close') };
    running.push(process_);
    return process_;
  }

  async function until(what: string, done: () => boolean | Promise<boolean>) {
    for (const end = Date.now() + 120_000; !(await done()); ) {
      if (Date.now() > end) throw new Error(`Not in time: ${what}\n${output}`);
      await new Promise((wait) => setTimeout(wait, 50));
    }
  }

  it('killed with -9 in the middle: the next process goes on, sends all of it under its old ids, and counts each delivery once', async () => {
    const ids = Array.from({ length: 3 * recoveryPace.slice - 50 }, (_, n) => `evt_recovered_${n}`);
    for (const id of ids) await oweEvent(db.pool, endpoint, id, { state: 'failed', attempts: 8 });
    const { rows } = await db.pool.query<{ last: string }>('select max(revision) as last from event where tenant_id = $1', [
      scope.tenantId,
    ]);
    const wish: NewRecovery = {
      ...{ ...scope, id: 'rcv_killed', kind: 'recover', endpointId: endpoint.id, total: 0, byFilters: false },
      ...{ eventTypes: undefined, userIds: undefined, providers: undefined, metrics: undefined, states: ['failed', 'cancelled'] },
      ...{ reached: 0, toRevision: Number(rows[0]?.last), from: new Date(0), to: new Date(Date.now() + 60_000) },
    };
    expect(await countRecovered(db.pool, scope, wish, wish)).toBe(ids.length);
    await insertRecovery(db.pool, { ...wish, total: ids.length });
    const recovery = async () => (await findRecovery(db.pool, scope, wish.id)) ?? { state: 'gone', queued: -1 };

    const first = start();
    await until('the first slice is being sent', () => receiver.received.length >= 10);
    first.child.kill('SIGKILL');
    await first.exited;
    expect(await recovery()).toMatchObject({ state: 'running' });
    expect((await recovery()).queued).toBeGreaterThanOrEqual(recoveryPace.slice);

    start();
    const inState = async () =>
      (await db.pool.query('select state, count(*)::int as n from event_delivery where endpoint_id = $1 group by 1', [endpoint.id])).rows;
    await until('all is delivered', async () => (await inState()).every(({ state }) => state === 'delivered'));
    expect(await inState()).toEqual([{ state: 'delivered', n: ids.length }]);
    await until('it has ended', async () => (await recovery()).state === 'completed');
    expect((await recovery()).queued).toBe(ids.length);
    expect([...receiver.timesReceived().keys()].sort()).toEqual([...ids].sort());
  }, 300_000);
});
