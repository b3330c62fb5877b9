import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import { providers } from '@tributary/providers';
import { createLog } from '@tributary/service-shell';
import { openTicketBackend } from '@tributary/tickets';
import { Queue } from 'bullmq';
import { createClient } from 'redis';
import { testServices } from '../../../packages/storage/testing/test-services.config.js';
import { activityDocument } from '../testing/documents.js';
import { type Person, Workbench } from '../testing/workbench.js';
import { openWorker } from './open-worker.js';

const { redisUrl } = testServices();
const backends = [
  { name: 'PostgreSQL', redis: undefined },
  ...(redisUrl === undefined ? [] : [{ name: 'Redis', redis: ownDatabase(redisUrl) }]),
];

/** A logical database of this file's own: other files have queues on the same server, and one test here flushes it. */
function ownDatabase(url: string): string {
  return Object.assign(new URL(url), { pathname: '/12' }).href;
}

describe.each(backends)('the worker with its queue on $name', ({ redis }) => {
  let bench: Workbench;
  const running: { app: NestFastifyApplication; stop(): Promise<void> }[] = [];
  beforeAll(async () => {
    bench = await Workbench.open();
  });
  afterEach(async () => {
    for (const { stop } of running.splice(0)) await stop();
  });
  afterAll(async () => {
    await bench.close();
  });

  async function startWorker(): Promise<NestFastifyApplication> {
    const worker = await openWorker(
      {
        host: '127.0.0.1',
        port: 0,
        logLevel: 'silent',
        databaseUrl: bench.db.url,
        redisUrl: redis,
        keys: bench.keys,
        publicIngestUrl: 'http://hooks.example',
        sandboxUrl: bench.oura.url,
        leaseMs: 2_000,
        slice: 20,
        fetches: 8,
        poolSize: 8,
      },
      providers,
      createLog('worker-test', 'silent'),
    );
    const app = await NestFactory.create<NestFastifyApplication>(worker.module, new FastifyAdapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
    running.push({
      app,
      async stop() {
        worker.drain();
        await app.close();
        await worker.close();
      },
    });
    return app;
  }

  async function settled(person: Person, within = 10_000): Promise<void> {
    const end = Date.now() + within;
    for (;;) {
      const [row] = await bench.rows(
        `select
        (select count(*)::int from webhook_notice where tenant_id = $1 and status <> 'applied') as notices,
        (select count(*)::int from fetch_window where tenant_id = $1 and state <> 'settled') as windows`,
        person,
      );
      if (row?.['notices'] === 0 && row['windows'] === 0) return;
      if (Date.now() > end) throw new Error(`not settled: ${JSON.stringify([row, await bench.windows(person)])}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  it('finds notices that nobody issued a ticket for, debounces them, and reads once', async () => {
    await startWorker();
    const person = await bench.person({ environment: { debounceMs: 300, maxWaitMs: 2_000 } });
    bench.oura.put('daily_activity', activityDocument({ steps: 4_242 }));
    bench.oura.calls.object = 0;
    for (let n = 0; n < 11; n += 1) await bench.notice(person);
    await settled(person);
    expect(await bench.value(person)).toBe(4_242);
    expect(bench.oura.calls.object).toBe(1);
  });

  it('loses nothing when the queue is flushed while work waits', async () => {
    await startWorker();
    const person = await bench.person({ environment: { debounceMs: 500, maxWaitMs: 2_000 } });
    bench.oura.put('daily_activity', activityDocument({ steps: 777 }));
    await bench.notice(person);
    await new Promise((done) => setTimeout(done, 300));
    if (redis === undefined) await bench.db.pool.query('truncate bullmq.job cascade');
    else {
      const client = createClient({ url: redis });
      await client.connect();
      await client.flushDb();
      await client.close();
    }
    await settled(person);
    expect(await bench.value(person)).toBe(777);
  });

  it('hands a deliver ticket to the endpoint that is owed an event', async () => {
    await startWorker();
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument({ steps: 1_234 }));
    await bench.notice(person);
    await settled(person);
    const backend = await openTicketBackend({ redisUrl: redis, databaseUrl: bench.db.url, onError: () => undefined });
    const queue = new Queue('deliver', backend.options);
    const keys = async () => (await queue.getJobs(['waiting'])).map((job) => (job.data as { key: string }).key);
    const wanted = `${person.scope.tenantId}/${person.scope.environment}#${person.endpoint.id}`;
    for (let n = 0; n < 100 && !(await keys()).includes(wanted); n += 1) await new Promise((done) => setTimeout(done, 20));
    expect((await keys()).filter((key) => key === wanted)).toEqual([wanted]);
    await queue.close();
    await backend.close();
  });

  it('two workers share the work and read every window once', async () => {
    await startWorker();
    await startWorker();
    const person = await bench.person();
    bench.oura.calls.object = 0;
    for (let n = 0; n < 60; n += 1) {
      bench.oura.put(
        'daily_activity',
        activityDocument({ id: `doc-${n}`, day: `2026-0${1 + (n % 6)}-${String(1 + Math.floor(n / 6)).padStart(2, '0')}`, steps: n }),
      );
      await bench.notice(person, { id: `doc-${n}` });
    }
    await settled(person);
    expect(bench.oura.calls.object).toBe(60);
    // Revisions in between are those of the resolved view.
    const revisions = (await bench.events(person)).map((event) => event.revision);
    expect(revisions).toHaveLength(240);
    expect(new Set(revisions).size).toBe(240);
  });

  it('sweeps a connection whose time has come, and moves its next time', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument({ id: 'swept', day: today, steps: 31 }));
    await bench.db.pool.query('update connection set next_sweep_at = now() where tenant_id = $1', [person.scope.tenantId]);
    await startWorker();
    for (let n = 0; n < 300 && (await bench.value(person)) === undefined; n += 1) await new Promise((done) => setTimeout(done, 20));
    await settled(person);
    expect(await bench.value(person)).toBe(31);
    expect(await bench.windows(person)).toEqual([]);
    const [row] = await bench.rows(
      'select extract(epoch from next_sweep_at - now())::float as s from connection where tenant_id = $1',
      person,
    );
    expect(Number(row?.['s'])).toBeGreaterThan(21_600 * 0.89);
    expect(Number(row?.['s'])).toBeLessThan(21_600 * 1.11);
  });

  it('ends a grant upstream and forgets the obligation only then', async () => {
    const person = await bench.person();
    const owe = (id: string, due: string) =>
      bench.db.pool.query(
        `insert into upstream_revocation (tenant_id, environment, id, provider_app_id, access_token, subject_id, due_at) values ($1, $2, $3, $4, $5, $6, now() + $7::interval)`,
        [
          person.scope.tenantId,
          person.scope.environment,
          id,
          person.app.id,
          bench.keys.seal('token', `upstream_revocation:${id}`),
          bench.keys.seal('ada', `upstream_revocation:${id}:subject`),
          due,
        ],
      );
    await owe('rev_1', '0 s');
    await owe('rev_2', '1 hour');
    bench.oura.calls.revoke = 0;
    await startWorker();
    const left = async () => (await bench.rows('select id from upstream_revocation where tenant_id = $1', person)).map((row) => row['id']);
    for (let n = 0; n < 300 && (await left()).includes('rev_1'); n += 1) await new Promise((done) => setTimeout(done, 20));
    expect(await left()).toEqual(['rev_2']);
    expect(bench.oura.calls.revoke).toBe(1);
  });

  it('says that it is alive and ready, and counts what it did', async () => {
    const app = await startWorker();
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    await bench.notice(person);
    await settled(person);
    const url = await app.getUrl();
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    const body = await (await fetch(`${url}/metrics`)).text();
    expect(body).toContain('tributary_worker_notices_total{result="taken",service="worker"} 1');
    expect(body).toContain('tributary_worker_fetches_total{provider="oura",outcome="records",service="worker"} 1');
    expect(body).toContain('tributary_worker_records_total{verdict="created",service="worker"} 4');
  });
});
