import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';

describe("an endpoint's statistics", () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  let endpoint: SeededEndpoint;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
    endpoint = await api.seed.endpoint(scope);
  });

  const stats = (query: Record<string, string> = {}) =>
    api.call('GET', `/v1/endpoints/${endpoint.id}/stats?${new URLSearchParams(query).toString()}`, { key });
  /** `count` attempts that began a second apart and took 1, 2, 3… milliseconds. */
  const addAttempts = (from: string, count: number, outcome: string, status: number | null, to = endpoint) =>
    api.db.pool.query(
      `insert into delivery_attempt (tenant_id, environment, event_id, endpoint_id, n, started_at, duration_ms, outcome, status_code)
       select $1, $2, 'evt_' || $5 || i, $3, 1, $4::timestamptz + i * interval '1 second', i + 1, $5, $6::int4
       from generate_series(0, $7::int4 - 1) i`,
      [to.tenantId, to.environment, to.id, from, outcome, status, count],
    );
  const owe = (count: number, { attempts, state = 'pending', age = '1 minute' }: { attempts: number; state?: string; age?: string }) =>
    api.db.pool.query(
      `insert into event_delivery (tenant_id, environment, event_id, endpoint_id, state, attempts, next_attempt_at, created_at)
       select $1, $2, 'evt_' || $4::text || $5::text || i, $3, $5, $4::int4, now() + i * interval '1 second', now() - $6::interval
       from generate_series(1, $7::int4) i`,
      [scope.tenantId, scope.environment, endpoint.id, attempts, state, age, count],
    );
  const classes = (counted: Record<string, number>) => ({ '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, none: 0, ...counted });

  it('counts outcomes, status classes and durations by hour, without gaps, and what is the same over all', async () => {
    await addAttempts('2026-12-01T08:00:00Z', 100, 'delivered', 200);
    await addAttempts('2026-12-01T08:30:00Z', 20, 'unavailable', 503);
    await addAttempts('2026-12-01T10:59:59Z', 1, 'timeout', null);
    await addAttempts('2026-12-01T11:00:00Z', 5, 'delivered', 204);
    await addAttempts('2026-12-01T08:00:00Z', 7, 'delivered', 200, await api.seed.endpoint(scope));
    const { status, body } = await stats({ from: '2026-12-01T08:10:00Z', to: '2026-12-01T11:00:00Z' });
    expect(status).toBe(200);
    const none = { attempts: 0, byOutcome: {}, byStatusClass: classes({}), p50Ms: null, p95Ms: null };
    expect(body.slots).toEqual([
      {
        from: '2026-12-01T08:00:00.000Z',
        attempts: 120,
        byOutcome: { delivered: 100, unavailable: 20 },
        byStatusClass: classes({ '2xx': 100, '5xx': 20 }),
        // 1, 1, 2, 2 … 20, 20, 21, 22 … 100: the 60th and the 114th.
        p50Ms: 40,
        p95Ms: 94,
      },
      { from: '2026-12-01T09:00:00.000Z', ...none },
      {
        from: '2026-12-01T10:00:00.000Z',
        attempts: 1,
        byOutcome: { timeout: 1 },
        byStatusClass: classes({ none: 1 }),
        p50Ms: 1,
        p95Ms: 1,
      },
    ]);
    expect(body.total).toMatchObject({
      attempts: 121,
      byOutcome: { delivered: 100, unavailable: 20, timeout: 1 },
      byStatusClass: classes({ '2xx': 100, '5xx': 20, none: 1 }),
      p50Ms: 40,
      successRate: 100 / 121,
    });
    const byDay = (await stats({ by: 'day', from: '2026-11-30T00:00:00Z', to: '2026-12-02T00:00:00Z' })).body;
    expect(byDay.slots.map((slot: { from: string; attempts: number }) => [slot.from, slot.attempts])).toEqual([
      ['2026-11-30T00:00:00.000Z', 0],
      ['2026-12-01T00:00:00.000Z', 126],
    ]);
  });

  it('of an endpoint that was never sent to are all zeros and nulls', async () => {
    const { body } = await stats();
    expect(body.slots).toHaveLength(25);
    expect(body.total).toEqual({ attempts: 0, byOutcome: {}, byStatusClass: classes({}), p50Ms: null, p95Ms: null, successRate: null });
    expect(body.pending).toEqual({ count: 0, more: false, oldestS: null });
    expect(body).toMatchObject({
      status: 'enabled',
      disabledReason: null,
      lastSuccessAt: null,
      failingSince: null,
      consecutiveFailures: 0,
    });
  });

  it('tell what is owed and how old the oldest of it is, new or tried before, and nothing of what is done', async () => {
    await owe(3, { attempts: 0 });
    await owe(2, { attempts: 4, age: '2 hours' });
    await owe(1, { attempts: 1, state: 'sending' });
    await owe(5, { attempts: 1, state: 'delivered', age: '3 days' });
    const { pending } = (await stats()).body;
    expect(pending).toMatchObject({ count: 6, more: false });
    expect(pending.oldestS).toBeGreaterThanOrEqual(7_200);
    expect(pending.oldestS).toBeLessThan(7_800);
  });

  it('count what is owed up to ten thousand and no further', async () => {
    await owe(10_000, { attempts: 0 });
    expect((await stats()).body.pending).toMatchObject({ count: 10_000, more: false });
    await owe(2_000, { attempts: 2, age: '5 hours' });
    const { pending } = (await stats()).body;
    expect(pending).toMatchObject({ count: 10_000, more: true });
    expect(pending.oldestS).toBeGreaterThanOrEqual(18_000);
  });

  it('say since when it fails, and why it is disabled', async () => {
    await api.db.pool.query(
      `update endpoint set status = 'disabled', disabled_reason = 'answered_410', last_success_at = '2026-11-30T00:00:00Z',
         failing_since = '2026-11-30T01:00:00Z', consecutive_failures = 9 where id = $1`,
      [endpoint.id],
    );
    expect((await stats()).body).toMatchObject({
      status: 'disabled',
      disabledReason: 'answered_410',
      lastSuccessAt: '2026-11-30T00:00:00.000Z',
      failingSince: '2026-11-30T01:00:00.000Z',
      consecutiveFailures: 9,
    });
  });

  it.each([
    [{ by: 'week' }, 'by'],
    [{ from: '2026-11-01T00:00:00Z', to: '2026-11-20T00:00:00Z' }, 'from'],
    [{ from: '2026-11-20T00:00:00Z', to: '2026-11-01T00:00:00Z' }, 'from'],
    [{ from: 'then' }, 'from'],
  ])('refuse %j', async (query, path) => {
    const { status, body } = await stats(query);
    expect([status, body.code, body.faults[0].path]).toEqual([422, 'validation_failed', path]);
  });

  it('know nothing of an endpoint that is not there', async () => {
    const reply = await api.call('GET', '/v1/endpoints/ep_00000000000000000000000000/stats', { key });
    expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
