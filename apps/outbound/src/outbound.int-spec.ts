import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { deliverQueue, deliverTicket } from '@tributary/handoffs';
import { createLog, runService } from '@tributary/service-shell';
import { openTicketBackend, type Ticket, issueTickets } from '@tributary/tickets';
import { Queue } from 'bullmq';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { testServices } from '../../../packages/storage/testing/test-services.config.js';
import { KeyRing } from '@tributary/service-shell';
import { startReceiver } from '../../../test/stand-ins/receiver-server.js';
import { openOutbound } from './open-outbound.js';
import { outboundConfig } from './outbound.config.js';

/** A database of the server to ourselves: workers of other test files would take our tickets. */
const { redisUrl } = testServices();
const ownRedis = redisUrl === undefined ? undefined : `${redisUrl.replace(/\/\d*$/, '')}/11`;
const backends = [{ backend: 'PostgreSQL', url: undefined }, ...(ownRedis === undefined ? [] : [{ backend: 'Redis', url: ownRedis }])];

describe.each(backends)('outbound with tickets on $backend', ({ url: redis }) => {
  let db: TestDatabase;
  let seed: Seed;
  let scope: SeededEnvironment;
  let revision = 0;
  const ending: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    db = await cloneDatabase();
    seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
    scope = await seed.environment();
  });
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });
  afterAll(async () => {
    await db.drop();
  });

  async function start(deadlineMs = 1_000): Promise<string> {
    const config = outboundConfig({
      DATABASE_URL: db.url,
      REDIS_URL: redis,
      TRIBUTARY_KEYS: TEST_KEYS,
      OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      OUTBOUND_PORT: '0',
      LOG_LEVEL: 'silent',
    });
    const log = createLog('outbound', config.logLevel);
    const outbound = await openOutbound(config, log, deadlineMs);
    const app = await runService(outbound.module, { log, host: config.host, port: config.port, portVariable: 'OUTBOUND_PORT' });
    ending.push(async () => {
      outbound.drain();
      await app.close();
      await outbound.close();
    });
    return app.getUrl();
  }
  async function receiving() {
    const receiver = await startReceiver();
    ending.push(() => receiver.stop());
    return receiver;
  }
  async function tickets(): Promise<Queue<Ticket>> {
    const backend = await openTicketBackend({ redisUrl: redis, databaseUrl: db.url, onError: () => undefined });
    const queue = new Queue<Ticket>(deliverQueue, backend.options);
    ending.push(async () => {
      await queue.close();
      await backend.close();
    });
    return queue;
  }
  async function owe(id: string, to: readonly SeededEndpoint[]) {
    await db.pool.query(
      `insert into event (tenant_id, environment, id, type, revision, occurred_at, data) values ($1, $2, $3, 'daily.updated', $4, now(), $5)`,
      [scope.tenantId, scope.environment, id, ++revision, Buffer.from(`{"id":"${id}"}`)],
    );
    for (const endpoint of to) {
      await db.pool.query(
        'insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at) values ($1, $2, $3, $4, now())',
        [scope.tenantId, scope.environment, id, endpoint.id],
      );
    }
  }
  const ref = (endpoint: SeededEndpoint) => ({ tenantId: endpoint.tenantId, environment: endpoint.environment, endpointId: endpoint.id });
  async function recorded(endpoint: SeededEndpoint, state: string, count: number) {
    for (const until = Date.now() + 15_000; ; ) {
      const {
        rows: [{ n }],
      } = await db.pool.query('select count(*)::int as n from event_delivery where endpoint_id = $1 and state = $2', [endpoint.id, state]);
      if (n === count) return;
      if (Date.now() > until) throw new Error(`${n} of ${count} deliveries are ${state}`);
      await new Promise((wait) => setTimeout(wait, 20));
    }
  }

  it('delivers what a ticket names at once, several slices of it, each event once', async () => {
    const receiver = await receiving();
    const endpoint = await seed.endpoint(scope, { url: receiver.url });
    const ids = Array.from({ length: 130 }, (_, n) => `evt_t${n}`);
    for (const id of ids) await owe(id, [endpoint]);
    // A deadline that no busy machine misses: a late answer counts as none, and its event is rightly sent again.
    await start(10_000);
    await issueTickets(await tickets(), [deliverTicket(ref(endpoint))], (error) => {
      throw error;
    });
    await recorded(endpoint, 'delivered', 130);
    expect([...receiver.timesReceived()].sort()).toEqual(ids.map((id) => [id, 1]).sort());
  });

  it('delivers without any ticket: the scan finds what is due, and retries when their time has come', async () => {
    const receiver = await receiving();
    receiver.behaveNext({ do: 'answer', status: 500 });
    const endpoint = await seed.endpoint(scope, { url: receiver.url, scheduleS: [0, 1, 1] });
    await owe('evt_scan', [endpoint]);
    await start();
    await recorded(endpoint, 'delivered', 1);
    const [first, second] = receiver.received;
    expect([first, second].map((request) => request?.headers['webhook-id'])).toEqual(['evt_scan', 'evt_scan']);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(900);
    const { rows } = await db.pool.query("select n, outcome from delivery_attempt where event_id = 'evt_scan' order by n");
    expect(rows).toEqual([
      { n: 1, outcome: 'http_error' },
      { n: 2, outcome: 'delivered' },
    ]);
  });

  it('loses nothing when the queue is emptied while it works', async () => {
    const receiver = await receiving();
    receiver.behave({ do: 'answer', status: 200, afterMs: 20 });
    const endpoints = await Promise.all([1, 2, 3].map(() => seed.endpoint(scope, { url: receiver.url })));
    const queue = await tickets();
    // A deadline that no busy machine misses: a late answer counts as none, and its event is rightly sent again.
    await start(10_000);
    for (let n = 0; n < 60; n += 1) {
      await owe(`evt_flush${n}`, endpoints);
      if (n % 20 === 10) await queue.obliterate({ force: true });
    }
    for (const endpoint of endpoints) await recorded(endpoint, 'delivered', 60);
    expect([...receiver.timesReceived().values()].every((times) => times === 3)).toBe(true);
    expect(receiver.timesReceived().size).toBe(60);
  });

  it('two processes share the work, and no event is sent twice to one endpoint', async () => {
    const receiver = await receiving();
    receiver.behave({ do: 'answer', status: 204, afterMs: 5 });
    const endpoints = await Promise.all(Array.from({ length: 6 }, (_, n) => seed.endpoint(scope, { url: `${receiver.url}/${n}` })));
    for (let n = 0; n < 60; n += 1) await owe(`evt_share${n}`, endpoints);
    // A deadline that no busy machine misses: a late answer counts as none, and its event is rightly sent again.
    await Promise.all([start(10_000), start(10_000)]);
    for (const endpoint of endpoints) await recorded(endpoint, 'delivered', 60);
    for (let n = 0; n < 6; n += 1) {
      const ids = receiver.received.filter(({ path }) => path === `/${n}`).map(({ headers }) => headers['webhook-id']);
      expect(ids).toHaveLength(60);
      expect(new Set(ids).size).toBe(60);
    }
  });

  it('endpoints that never answer do not delay one that does', async () => {
    const receiver = await receiving();
    receiver.behave({ do: 'hang' }, '/hang');
    const hanging = await Promise.all(Array.from({ length: 8 }, () => seed.endpoint(scope, { url: `${receiver.url}/hang` })));
    for (let n = 0; n < 20; n += 1) await owe(`evt_hang${n}`, hanging);
    await start(3_000);
    await receiver.until((received) => received.length >= 100);
    const quick = await seed.endpoint(scope, { url: `${receiver.url}/quick` });
    const began = Date.now();
    await owe('evt_quick', [quick]);
    await recorded(quick, 'delivered', 1);
    expect(Date.now() - began).toBeLessThan(2_000);
    for (const endpoint of hanging) await db.pool.query("update endpoint set status = 'disabled' where id = $1", [endpoint.id]);
  });

  it('says that it lives, that it is ready, and what it has done', async () => {
    const receiver = await receiving();
    const endpoint = await seed.endpoint(scope, { url: receiver.url });
    const base = await start();
    await owe('evt_metrics', [endpoint]);
    await recorded(endpoint, 'delivered', 1);
    expect(await (await fetch(`${base}/health/live`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${base}/health/ready`)).json()).toEqual({ status: 'ok' });
    const metrics = await (await fetch(`${base}/metrics`)).text();
    expect(metrics).toContain('tributary_outbound_attempts_total{outcome="delivered",service="outbound"} 1');
    expect(metrics).toContain('tributary_outbound_commit_to_first_byte_seconds_count{service="outbound"} 1');
    expect(metrics).not.toContain(scope.tenantId);
  });
});
