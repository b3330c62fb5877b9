import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addDays } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { KeyRing } from '@tributary/service-shell';
import { type SeededConnection, type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';

const today = new Date().toISOString().slice(0, 10);

describe('backfills over the API', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  let connection: SeededConnection;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
    connection = await api.seed.connection(await api.seed.app(scope), await api.seed.user(scope));
  });

  const ask = (body: unknown, of = connection.id) => api.call('POST', `/v1/connections/${of}/backfills`, { key, body });
  const windows = () =>
    api.rows<{ collection: string; state: string; priority: number }>(
      `select collection, window_end::date - window_start::date as days, state, priority from fetch_window
       where tenant_id = $1 order by collection`,
      [scope.tenantId],
    );

  it('is begun, shows how far it is, and is written down', async () => {
    const from = addDays(today, -365);
    const { status, body } = await ask({ from, collections: ['daily_activity', 'sleep'] });
    expect([status, body.id]).toEqual([202, expect.stringMatching(/^bf_/)]);
    expect(body).toMatchObject({
      connectionId: connection.id,
      userId: connection.userId,
      cause: 'request',
      state: 'running',
      paused: false,
      from,
      to: addDays(today, 2),
      days: { total: 734, done: 0, failed: 0 },
      windows: { done: 0, failed: 0 },
      records: 0,
      estimatedEndAt: null,
      endedAt: null,
    });
    expect(body.collections.map((one: { collection: string }) => one.collection)).toEqual(['daily_activity', 'sleep']);
    expect(await windows()).toEqual(
      ['daily_activity', 'sleep'].map((collection) => ({ collection, days: 5, state: 'waiting', priority: 1 })),
    );
    // A tenth of the days in ten minutes: an hour and a half is left.
    await api.db.pool.query(
      `update backfill_part set reached = to_date - 367, windows_done = 14, records = 400 where tenant_id = $1 and collection = 'sleep'`,
      [scope.tenantId],
    );
    await api.db.pool.query(`update backfill set created_at = now() - interval '10 minutes' where tenant_id = $1`, [scope.tenantId]);
    const read = (await api.call('GET', `/v1/backfills/${body.id}`, { key })).body;
    expect(read).toMatchObject({ days: { total: 734, done: 367 }, windows: { done: 14 }, records: 400 });
    expect(Date.parse(read.estimatedEndAt) - Date.now()).toBeGreaterThan(9 * 60_000);
    expect(Date.parse(read.estimatedEndAt) - Date.now()).toBeLessThan(11 * 60_000);
    const page = (await api.call('GET', `/v1/backfills?connectionId=${connection.id}&state=running`, { key })).body;
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual([body.id]);
    expect(await api.rows('select action, target from audit_log where tenant_id = $1', [scope.tenantId])).toEqual([
      { action: 'backfill.create', target: body.id },
    ]);
  });

  it('one runs for a connection at a time; cancelled, it tells so once, and the next may begin', async () => {
    const endpoint = await api.seed.endpoint(scope);
    const first = (await ask({ from: addDays(today, -30) })).body;
    const second = await ask({ from: addDays(today, -60) });
    expect([second.status, second.body.code]).toEqual([409, 'conflict']);
    expect(second.body.detail).toContain(first.id);
    const cancelled = await api.call('POST', `/v1/backfills/${first.id}/cancel`, { key });
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled']);
    expect((await api.call('POST', `/v1/backfills/${first.id}/cancel`, { key })).body.state).toBe('cancelled');
    expect(await windows()).toEqual([]);
    const events = (await api.call('GET', '/v1/events?type=backfill.completed', { key })).body.data;
    expect(events).toHaveLength(1);
    expect(eventSchemas['backfill.completed'].parse(events[0].data)).toMatchObject({ backfillId: first.id, status: 'cancelled' });
    expect((await api.call('GET', `/v1/events/${events[0].id}`, { key })).body.deliveries).toMatchObject([{ endpointId: endpoint.id }]);
    expect((await ask({ from: addDays(today, -60) })).status).toBe(202);
    const audit = await api.rows<{ action: string }>('select action from audit_log where tenant_id = $1 order by at, id', [scope.tenantId]);
    expect(audit.map(({ action }) => action)).toEqual(['backfill.create', 'backfill.cancel', 'backfill.create']);
  });

  it('two asked for at the same moment are one', async () => {
    const replies = await Promise.all([1, 2, 3, 4].map((n) => ask({ from: addDays(today, -30 * n) })));
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409]);
    expect(await api.rows('select 1 from backfill where tenant_id = $1', [scope.tenantId])).toHaveLength(1);
  });

  it('C154 without permission there is no window, and the answer says so', async () => {
    const body = (await ask({ from: addDays(today, -30) })).body;
    const workout = body.collections.find((one: { collection: string }) => one.collection === 'workout');
    expect(workout).toMatchObject({ state: 'not_permitted', days: { done: 0 } });
    expect((await windows()).map(({ collection }) => collection)).not.toContain('workout');
    await api.call('POST', `/v1/backfills/${body.id}/cancel`, { key });
    const none = await ask({ from: addDays(today, -30), collections: ['workout'] });
    expect([none.status, none.body.code]).toEqual([409, 'conflict']);
  });

  it.each([
    ['a day that is none', { from: '2026-02-30' }, 'from'],
    ['no first day', {}, 'from'],
    ['a first day to come', { from: '2999-01-01' }, 'from'],
    ['an end before the beginning', { from: '2026-02-03', to: '2026-02-03' }, 'from'],
    ['an end to come', { from: '2026-02-03', to: '2999-01-01' }, 'to'],
    ['longer ago than anybody shows', { from: '1999-01-01' }, 'from'],
    ['a collection that is none', { from: '2026-02-03', collections: ['sleep', 'dreams'] }, 'collections.1'],
    ['kinds of which there is nothing', { from: '2026-02-03', collections: ['sleep'], kinds: ['workout'] }, 'kinds'],
    ['a field that is none', { from: '2026-02-03', metrics: ['steps'] }, 'metrics'],
  ])('%s is refused with the field', async (_, body, path) => {
    const reply = await ask(body);
    expect([reply.status, reply.body.code, reply.body.faults[0]?.path]).toEqual([422, 'validation_failed', path]);
    expect(await api.rows('select 1 from backfill where tenant_id = $1', [scope.tenantId])).toEqual([]);
  });

  it('waits while the person has to consent again, and is refused once the connection has ended', async () => {
    await api.db.pool.query(`update connection set status = 'reauth_required' where id = $1`, [connection.id]);
    const { body } = await ask({ from: addDays(today, -30), kinds: ['sleep'] });
    expect(body).toMatchObject({ paused: true, state: 'running' });
    expect(await windows()).toMatchObject([{ state: 'parked' }]);
    const other = await api.seed.connection(await api.seed.app(scope), await api.seed.user(scope), { status: 'disconnected' });
    const refused = await ask({ from: addDays(today, -30) }, other.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  });

  it('C154 of Garmin it is asked for by type, once the person allows that, and refused before', async () => {
    const app = await api.seed.app(scope, { provider: 'garmin' });
    const grant = async (...scopes: string[]) => (await api.seed.connection(app, await api.seed.user(scope), { scopes })).id;
    const refused = await ask({ from: addDays(today, -30) }, await grant('HEALTH_EXPORT'));
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    const allowed = await ask({ from: addDays(today, -30), kinds: ['sleep'] }, await grant('HEALTH_EXPORT', 'HISTORICAL_DATA_EXPORT'));
    expect([allowed.status, allowed.body.collections]).toMatchObject([202, [{ collection: 'backfill/sleeps', state: 'running' }]]);
    expect((await windows()).map(({ collection }) => collection)).toEqual(['backfill/sleeps']);
  });

  it('nobody sees, begins or cancels what is another tenant’s', async () => {
    const { body } = await ask({ from: addDays(today, -30) });
    const { key: stranger } = await api.key(await api.seed.environment());
    const as = (method: string, path: string, sent?: unknown) => api.call(method, path, { key: stranger, body: sent });
    expect((await as('GET', `/v1/backfills/${body.id}`)).status).toBe(404);
    expect((await as('POST', `/v1/backfills/${body.id}/cancel`)).status).toBe(404);
    expect((await as('POST', `/v1/connections/${connection.id}/backfills`, { from: '2026-11-01' })).status).toBe(404);
    expect((await as('GET', '/v1/backfills')).body.data).toEqual([]);
    expect((await api.call('GET', `/v1/backfills/${body.id}`, { key })).body.state).toBe('running');
  });

  it('an erased person leaves nothing of it', async () => {
    await ask({ from: addDays(today, -30) });
    expect((await api.call('DELETE', `/v1/users/${connection.userId}`, { key })).status).toBe(200);
    for (const table of ['backfill', 'backfill_part', 'collection_sweep', 'fetch_window'])
      expect([table, await api.rows(`select 1 from ${table} where tenant_id = $1`, [scope.tenantId])]).toEqual([table, []]);
    const audit = await api.rows<{ action: string }>('select action from audit_log where tenant_id = $1', [scope.tenantId]);
    expect(audit.map(({ action }) => action)).not.toContain('backfill.create');
  });
});
