import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Counter } from 'prom-client';
import request from 'supertest';
import { HealthModule } from './health.module.js';
import { createMetrics } from './metrics.js';

let app: NestFastifyApplication;
let database: 'answers' | 'refuses' | 'hangs' = 'answers';
let draining = false;
const metrics = createMetrics('worker');
const fetches = new Counter({ name: 'tributary_test_total', help: 'test', registers: [metrics] });

beforeAll(async () => {
  const check = () => {
    if (database === 'hangs') return new Promise<void>(() => undefined);
    return database === 'answers' ? Promise.resolve() : Promise.reject(new Error('postgres://user:hunter2@host refused'));
  };
  const health = HealthModule.with({ metrics, draining: () => draining, checks: [{ name: 'database', check }] });
  const module = await Test.createTestingModule({ imports: [health] }).compile();
  app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(() => app.close());

const get = (path: string) => request(app.getHttpServer()).get(path);

describe('the health of a process', () => {
  it('is alive whatever it needs, and ready only while all of it answers', async () => {
    database = 'answers';
    expect((await get('/health/ready').expect(200)).body).toEqual({ status: 'ok' });
    database = 'refuses';
    const refused = await get('/health/ready').expect(503);
    expect(refused.body).toEqual({ status: 'unavailable', missing: ['database'] });
    expect(refused.text).not.toContain('hunter2');
    expect((await get('/health/live').expect(200)).body).toEqual({ status: 'ok' });
  });

  it('counts what does not answer in time as missing', async () => {
    database = 'hangs';
    const started = performance.now();
    expect((await get('/health/ready').expect(503)).body).toEqual({ status: 'unavailable', missing: ['database'] });
    expect(performance.now() - started).toBeLessThan(10_000);
    database = 'answers';
  });

  it('is not ready once it drains, so that nobody sends more', async () => {
    draining = true;
    expect((await get('/health/ready').expect(503)).body).toEqual({ status: 'unavailable', missing: ['draining'] });
    draining = false;
  });

  it('shows its counters in the format that Prometheus reads', async () => {
    fetches.inc(3);
    const { text, headers } = await get('/metrics').expect(200);
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toContain('tributary_test_total{service="worker"} 3');
    expect(text).toContain('nodejs_eventloop_lag_seconds{service="worker"}');
  });
});
