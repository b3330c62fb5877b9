import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type Receiver, startReceiver } from '../../../test/stand-ins/receiver-server.js';
import { type OutboundProcess, startOutbound } from '../testing/outbound-process.js';

describe('the outbound process', () => {
  let db: TestDatabase;
  let seed: Seed;
  let scope: SeededEnvironment;
  let receiver: Receiver;
  let endpoint: SeededEndpoint;
  const running: OutboundProcess[] = [];
  let revision = 0;

  beforeAll(async () => {
    db = await cloneDatabase();
    seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
  });
  beforeEach(async () => {
    scope = await seed.environment();
    receiver = await startReceiver();
    endpoint = await seed.endpoint(scope, { url: `${receiver.url}/hooks` });
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.kill();
    // What a test leaves owed is not for the processes of the next one.
    await db.pool.query("update endpoint set status = 'disabled'");
    await receiver.stop();
  });
  afterAll(async () => {
    await db.drop();
  });

  function start(environment: Record<string, string> = {}): OutboundProcess {
    const started = startOutbound(db.url, environment);
    running.push(started);
    return started;
  }
  async function until(what: string, done: () => boolean | Promise<boolean>, timeoutMs = 120_000) {
    for (const end = Date.now() + timeoutMs; !(await done()); ) {
      if (Date.now() > end) throw new Error(`Not in time: ${what}\n${running.map(({ output }) => output()).join('\n---\n')}`);
      await new Promise((wait) => setTimeout(wait, 20));
    }
  }
  async function owe(count: number, name: string): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, n) => `evt_${name}_${n}`);
    for (const id of ids) {
      await db.pool.query(
        `insert into event (tenant_id, environment, id, type, revision, occurred_at, data) values ($1, $2, $3, 'daily.updated', $4, now(), $5)`,
        [scope.tenantId, scope.environment, id, ++revision, Buffer.from(`{"id":"${id}"}`)],
      );
      await db.pool.query(
        'insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at) values ($1, $2, $3, $4, now())',
        [scope.tenantId, scope.environment, id, endpoint.id],
      );
    }
    return ids;
  }
  const inState = async (state: string) =>
    (await db.pool.query('select count(*)::int as n from event_delivery where endpoint_id = $1 and state = $2', [endpoint.id, state]))
      .rows[0].n as number;

  it('killed in the middle of sending, loses nothing: the next one sends what was not recorded, with the same ids', async () => {
    const ids = await owe(40, 'killed');
    receiver.behave({ do: 'hang' });
    const first = start();
    await until('the first process is sending', () => receiver.received.length >= 16);
    first.child.kill('SIGKILL');
    await first.exited;
    expect(await inState('delivered')).toBe(0);
    receiver.behave({ do: 'answer', status: 204 });
    start();
    await until('everything is delivered', async () => (await inState('delivered')) === 40);
    expect([...receiver.timesReceived().keys()].sort()).toEqual([...ids].sort());
    const { rows } = await db.pool.query('select event_id, count(*)::int as n from delivery_attempt where endpoint_id = $1 group by 1', [
      endpoint.id,
    ]);
    expect(rows.sort((a, b) => (a.event_id < b.event_id ? -1 : 1))).toEqual([...ids].sort().map((id) => ({ event_id: id, n: 1 })));
  }, 240_000);

  it('told to end, finishes the requests in hand, records them, gives back the rest and leaves with 0', async () => {
    await owe(30, 'drained');
    receiver.behave({ do: 'answer', status: 200, afterMs: 800 });
    const { child, exited, output } = start();
    await until('it is sending', () => receiver.received.length >= 16);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    const { rows } = await db.pool.query(
      'select state, count(*)::int as n, count(lease_token)::int as held from event_delivery where endpoint_id = $1 group by 1 order by 1',
      [endpoint.id],
    );
    expect(rows).toEqual([
      { state: 'delivered', n: 16, held: 0 },
      { state: 'pending', n: 14, held: 0 },
    ]);
    expect(receiver.received).toHaveLength(16);
    expect(output()).toContain('"service.stopped"');
  }, 240_000);

  it('says nothing for a delivery that succeeds, and one line without contents for an attempt that fails', async () => {
    endpoint = await seed.endpoint(scope, { url: `${receiver.url}/hooks?token=hush` });
    receiver.behaveNext({ do: 'answer', status: 500, body: 'private answer' });
    const { output } = start();
    await owe(1, 'logged');
    await until('the attempt failed', () => output().includes('delivery.attempt_failed'));
    await owe(3, 'quiet');
    await until('three more are delivered', async () => (await inState('delivered')) === 3);
    const lines = output()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { what: string });
    expect(lines.map(({ what }) => what)).toEqual(['outbound.private_networks_allowed', 'service.listening', 'delivery.attempt_failed']);
    expect(lines[2]).toMatchObject({ service: 'outbound', eventId: 'evt_logged_0', attempt: 1, outcome: 'http_error', status: 500 });
    expect(output()).not.toMatch(/private answer|hush|whsec_/);
  }, 240_000);

  it.each([
    ['a database that does not answer', { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' }, 1, 'Check DATABASE_URL'],
    ['no database at all', { DATABASE_URL: '' }, 2, 'DATABASE_URL: is not set'],
    ['private networks in production', { NODE_ENV: 'production' }, 2, 'OUTBOUND_ALLOW_NETWORKS is set while NODE_ENV is production'],
    ['keys that are none', { TRIBUTARY_KEYS: 'k1:short' }, 2, 'TRIBUTARY_KEYS: expected id:base64 pairs'],
  ])(
    'does not start with %s: one message, no stack',
    async (_name, environment, code, message) => {
      const { exited, output } = start(environment);
      expect(await exited).toBe(code);
      expect(output()).toContain(`outbound: `);
      expect(output()).toContain(message);
      expect(output()).not.toMatch(/\n\s+at /);
    },
    180_000,
  );

  it('does not start on a port that is taken, and names the variable', async () => {
    const { exited, output } = start({ OUTBOUND_PORT: new URL(receiver.url).port });
    expect(await exited).toBe(2);
    expect(output()).toContain('Set OUTBOUND_PORT to a free port');
  }, 180_000);
});
