import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

describe('events, attempts and dead letters', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
  });

  const test = async (endpointId: string): Promise<string> =>
    (await api.call('POST', `/v1/endpoints/${endpointId}/test`, { key })).body.eventId;
  const deliveries = (eventId: string) =>
    api.rows<{ endpoint_id: string; state: string; due: boolean; attempts: number; ended_at: Date | null }>(
      'select endpoint_id, state, attempts, ended_at, next_attempt_at <= now() as due from event_delivery where event_id = $1 order by endpoint_id',
      [eventId],
    );
  const replay = (eventId: string, body?: object) => api.call('POST', `/v1/events/${eventId}/replay`, { key, body });

  it('events are listed newest first, page by page and by type', async () => {
    const endpoint = await api.seed.endpoint(scope);
    for (let n = 0; n < 5; n += 1) await test(endpoint.id);
    await api.call('DELETE', `/v1/users/${(await api.seed.user(scope)).id}`, { key });
    const first = (await api.call('GET', '/v1/events?limit=4', { key })).body;
    const second = (await api.call('GET', `/v1/events?limit=4&cursor=${first.nextCursor}`, { key })).body;
    expect([...first.data, ...second.data].map((event: { revision: number }) => event.revision)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(second.nextCursor).toBeNull();
    expect((await api.call('GET', '/v1/events?type=user.erased', { key })).body.data).toHaveLength(1);
    expect((await api.call('GET', '/v1/events?type=nothing', { key })).status).toBe(422);
  });

  it('a replay owes the event again under its own id, and attempts go on counting', async () => {
    const endpoint = await api.seed.endpoint(scope);
    const id = await test(endpoint.id);
    for (const state of ['delivered', 'failed', 'cancelled']) {
      await api.db.pool.query(
        `update event_delivery set state = $2, attempts = 3, ended_at = now(), next_attempt_at = now() + interval '1 day' where event_id = $1`,
        [id, state],
      );
      expect(await replay(id)).toMatchObject({ status: 202, body: { eventId: id, endpointIds: [endpoint.id] } });
      expect(await deliveries(id)).toEqual([{ endpoint_id: endpoint.id, state: 'pending', attempts: 3, ended_at: null, due: true }]);
    }
    expect(await api.rows('select 1 from event where tenant_id = $1', [scope.tenantId])).toHaveLength(1);
  });

  it('what is being sent at this moment is left to whoever sends it', async () => {
    const endpoint = await api.seed.endpoint(scope);
    const id = await test(endpoint.id);
    await api.db.pool.query(
      `update event_delivery set state = 'sending', next_attempt_at = now() + interval '30 seconds' where event_id = $1`,
      [id],
    );
    expect((await replay(id)).body).toEqual({ eventId: id, endpointIds: [], underWay: [endpoint.id] });
    expect(await deliveries(id)).toEqual([expect.objectContaining({ state: 'sending', due: false })]);
    await api.db.pool.query(`update event_delivery set state = 'pending' where event_id = $1`, [id]);
    expect((await replay(id, { endpointId: endpoint.id })).body).toEqual({ eventId: id, endpointIds: [], underWay: [endpoint.id] });
    expect(await deliveries(id)).toEqual([expect.objectContaining({ state: 'pending', due: false })]);
  });

  it('a replay can name one endpoint, also one that was never owed the event, but no disabled or unknown one', async () => {
    const [first, late, off] = [
      await api.seed.endpoint(scope),
      await api.seed.endpoint(scope),
      await api.seed.endpoint(scope, { status: 'disabled' }),
    ];
    const id = await test(first.id);
    expect((await replay(id, { endpointId: late.id })).body.endpointIds).toEqual([late.id]);
    expect((await deliveries(id)).map((row) => row.endpoint_id).sort()).toEqual([first.id, late.id].sort());
    expect((await replay(id, { endpointId: off.id })).body.code).toBe('endpoint_disabled');
    const stranger = await api.seed.endpoint(await api.seed.environment());
    expect((await replay(id, { endpointId: stranger.id })).status).toBe(404);
    expect(await deliveries(id)).toHaveLength(2);
  });

  it('an event whose person was erased is not sent again', async () => {
    await api.call('DELETE', `/v1/users/${(await api.seed.user(scope)).id}`, { key });
    const [event] = (await api.call('GET', '/v1/events', { key })).body.data;
    expect(event.data).toBeNull();
    expect(await replay(event.id)).toMatchObject({ status: 410, body: { code: 'gone' } });
  });

  it('attempts tell what each try met', async () => {
    const endpoint = await api.seed.endpoint(scope);
    const id = await test(endpoint.id);
    for (const n of [1, 2, 3]) {
      await api.db.pool.query(
        `insert into delivery_attempt (tenant_id, environment, event_id, endpoint_id, n, started_at, duration_ms, outcome, status_code, response_headers, response_body)
         values ($1, $2, $3, $4, $5, now(), 12, 'http_error', 503, '{"retry-after":"5"}', 'down')`,
        [scope.tenantId, scope.environment, id, endpoint.id, n],
      );
    }
    const first = (await api.call('GET', `/v1/events/${id}/attempts?limit=2`, { key })).body;
    expect(first.data[0]).toEqual({
      endpointId: endpoint.id,
      n: 1,
      startedAt: expect.any(String),
      durationMs: 12,
      outcome: 'http_error',
      statusCode: 503,
      responseHeaders: { 'retry-after': '5' },
      responseBody: 'down',
    });
    const second = (await api.call('GET', `/v1/events/${id}/attempts?limit=2&cursor=${first.nextCursor}`, { key })).body;
    expect([...first.data, ...second.data].map(({ n }: { n: number }) => n)).toEqual([1, 2, 3]);
  });

  it('dead letters say who looks at a wrong day, how many they are, and are listed by state', async () => {
    const app = await api.seed.app(scope);
    const users = [await api.seed.user(scope), await api.seed.user(scope)];
    const letter = (row: { id: string; userId: string | null; bucket: string; closed?: boolean; window: string | null }) =>
      api.db.pool.query(
        `insert into dead_letter (tenant_id, environment, id, provider, provider_app_id, user_id, connection_id, collection, window_kind, window_start, window_end, bucket, code, detail, closed_at, body_hash)
       values ($1, $2, $3, 'oura', $4, $5, $6, 'sleep', $7, $8, $8, $9, 'read_failed', 'http_500', $10, $11)`,
        [
          scope.tenantId,
          scope.environment,
          row.id,
          app.id,
          row.userId,
          row.userId === null ? null : `con-${row.userId}`,
          row.window === null ? null : 'object',
          row.window,
          row.bucket,
          row.closed ? new Date() : null,
          Buffer.from(row.id),
        ],
      );
    const id = (n: number) => `dl_01KBADX6V0000000000000000${n}`;
    await letter({ id: id(1), userId: users[0]?.id ?? '', bucket: 'transient', window: 'a' });
    await letter({ id: id(2), userId: users[0]?.id ?? '', bucket: 'drift', window: 'b' });
    await letter({ id: id(3), userId: users[1]?.id ?? '', bucket: 'drift', window: 'c' });
    await letter({ id: id(4), userId: null, bucket: 'unresolvable', window: null });
    await letter({ id: id(5), userId: users[1]?.id ?? '', bucket: 'transient', window: 'd', closed: true });
    expect((await api.call('GET', '/v1/dead-letters/summary', { key })).body).toMatchObject({
      usersAffected: 2,
      open: 4,
      byBucket: { transient: 1, drift: 2, unresolvable: 1 },
    });
    const ids = async (query: string) =>
      (await api.call('GET', `/v1/dead-letters${query}`, { key })).body.data.map((one: { id: string }) => one.id);
    expect(await ids('')).toEqual([id(4), id(3), id(2), id(1)]);
    expect(await ids('?state=closed')).toEqual([id(5)]);
    expect(await ids(`?state=all&userId=${users[1]?.id}`)).toEqual([id(5), id(3)]);
    expect(await ids('?bucket=drift&limit=1')).toEqual([id(3)]);
    const shown = (await api.call('GET', '/v1/dead-letters', { key })).body.data;
    expect(shown[0]).toMatchObject({ userId: null, window: null, code: 'read_failed' });
    expect(shown[1]).toMatchObject({ userId: users[1]?.id, window: { kind: 'object', start: 'c', end: 'c' } });
  });
});
