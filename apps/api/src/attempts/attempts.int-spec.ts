import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';

interface Tried {
  readonly id: string;
  readonly at: string;
  readonly outcome?: string;
  readonly status?: number | null;
  readonly n?: number;
}

describe('the search of attempts', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  let endpoint: SeededEndpoint;
  let revision = 0;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
    endpoint = await api.seed.endpoint(scope);
  });

  const eventId = (n: number) => `evt_${String(n).padStart(26, '0')}`;
  const addEvent = (id: string) =>
    api.db.pool.query(
      `insert into event (tenant_id, environment, id, type, revision, occurred_at, data)
       values ($1, $2, $3, 'endpoint.test', $4, now(), '{}') on conflict do nothing`,
      [scope.tenantId, scope.environment, id, (revision += 1)],
    );
  const addAttempt = (to: SeededEndpoint, { id, at, outcome = 'delivered', status = 200, n = 1 }: Tried) =>
    api.db.pool.query(
      `insert into delivery_attempt (tenant_id, environment, event_id, endpoint_id, n, started_at, duration_ms, outcome, status_code, response_headers, response_body)
       values ($1, $2, $3, $4, $5, $6, 12, $7, $8, '{"retry-after":"5"}', 'said')`,
      [to.tenantId, to.environment, id, to.id, n, at, outcome, status],
    );
  const search = async (query: Record<string, string> = {}, as = key) =>
    api.call('GET', `/v1/attempts?${new URLSearchParams(query).toString()}`, { key: as });
  const found = async (query: Record<string, string> = {}): Promise<string[]> =>
    (await search(query)).body.data.map((row: { eventId: string }) => row.eventId);

  it('shows an attempt as its event does, and which event it was', async () => {
    await addEvent(eventId(1));
    await addAttempt(endpoint, { id: eventId(1), at: '2026-12-01T09:00:00.123Z', outcome: 'unavailable', status: 503 });
    const { status, body } = await search();
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          eventId: eventId(1),
          endpointId: endpoint.id,
          n: 1,
          startedAt: '2026-12-01T09:00:00.123Z',
          durationMs: 12,
          outcome: 'unavailable',
          statusCode: 503,
          responseHeaders: { 'retry-after': '5' },
          responseBody: 'said',
        },
      ],
      nextCursor: null,
    });
    const ofEvent = (await api.call('GET', `/v1/events/${eventId(1)}/attempts`, { key })).body.data[0];
    expect({ ...ofEvent, eventId: eventId(1) }).toEqual(body.data[0]);
  });

  it('finds by endpoint, event, status class, outcome and time, each alone and together, newest first', async () => {
    const other = await api.seed.endpoint(scope);
    const rows: [SeededEndpoint, Tried][] = [
      [endpoint, { id: eventId(1), at: '2026-11-30T10:00:00Z' }],
      [endpoint, { id: eventId(2), at: '2026-11-30T23:59:59.999Z', outcome: 'redirected', status: 301 }],
      [endpoint, { id: eventId(3), at: '2026-12-01T00:00:00Z', outcome: 'http_error', status: 404 }],
      [other, { id: eventId(4), at: '2026-12-01T01:00:00Z', outcome: 'rate_limited', status: 429 }],
      [other, { id: eventId(5), at: '2026-12-01T02:00:00Z', outcome: 'unavailable', status: 503 }],
      [endpoint, { id: eventId(6), at: '2026-12-01T03:00:00Z', outcome: 'timeout', status: null }],
      [other, { id: eventId(6), at: '2026-12-01T04:00:00Z', status: 204 }],
    ];
    for (const [to, tried] of rows) {
      await addEvent(tried.id);
      await addAttempt(to, tried);
    }
    const ids = (...numbers: number[]) => numbers.map(eventId);
    expect(await found()).toEqual(ids(6, 6, 5, 4, 3, 2, 1));
    expect(await found({ endpointId: endpoint.id })).toEqual(ids(6, 3, 2, 1));
    expect(await found({ eventId: eventId(6) })).toEqual(ids(6, 6));
    expect(await found({ statusClass: '2xx' })).toEqual(ids(6, 1));
    expect(await found({ statusClass: '3xx' })).toEqual(ids(2));
    expect(await found({ statusClass: '4xx' })).toEqual(ids(4, 3));
    expect(await found({ statusClass: '5xx' })).toEqual(ids(5));
    expect(await found({ statusClass: 'none' })).toEqual(ids(6));
    expect(await found({ outcome: 'timeout' })).toEqual(ids(6));
    expect(await found({ outcome: 'delivered', endpointId: other.id })).toEqual(ids(6));
    expect(await found({ from: '2026-12-01T00:00:00Z', to: '2026-12-01T03:00:00Z' })).toEqual(ids(5, 4, 3));
    expect(await found({ from: '2026-12-01T01:00:00+01:00', to: '2026-12-01T02:00:00+01:00' })).toEqual(ids(3));
    expect(await found({ endpointId: endpoint.id, statusClass: '4xx', outcome: 'http_error', from: '2026-11-30T00:00:00Z' })).toEqual(
      ids(3),
    );
    expect(await found({ endpointId: endpoint.id, statusClass: '5xx' })).toEqual([]);
  });

  it('pages show each attempt once, over days and at one moment, while newer ones come in', async () => {
    const at = (n: number) => (n < 6 ? '2026-11-30T23:59:59.999Z' : '2026-12-01T00:00:00Z');
    for (let n = 0; n < 12; n += 1) {
      await addEvent(eventId(n));
      await addAttempt(endpoint, { id: eventId(n), at: at(n), n: 1 });
    }
    await addAttempt(endpoint, { id: eventId(3), at: at(3), n: 2 });
    const shown: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < 10; page += 1) {
      const { body } = await search({ limit: '4', ...(cursor === null ? {} : { cursor }) });
      shown.push(...body.data.map((row: { eventId: string; n: number }) => `${row.eventId}/${row.n}`));
      cursor = body.nextCursor;
      if (cursor === null) break;
      await addEvent(eventId(100 + page));
      await addAttempt(endpoint, { id: eventId(100 + page), at: '2026-12-01T05:00:00Z' });
    }
    const expected = Array.from({ length: 12 }, (_, n) => `${eventId(11 - n)}/1`);
    expected.splice(expected.indexOf(`${eventId(3)}/1`), 0, `${eventId(3)}/2`);
    expect(shown).toEqual(expected);
  });

  it('shows nothing of another tenant or environment, and knows none of their ids', async () => {
    await addEvent(eventId(1));
    await addAttempt(endpoint, { id: eventId(1), at: '2026-12-01T09:00:00Z' });
    const stranger = await api.seed.environment();
    const live = await api.seed.environment({ tenantId: scope.tenantId, environment: 'live' });
    for (const who of [stranger, live]) {
      const { key: theirs } = await api.key(who);
      expect((await search({}, theirs)).body).toEqual({ data: [], nextCursor: null });
      expect(await search({ endpointId: endpoint.id }, theirs)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await search({ eventId: eventId(1) }, theirs)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect((await api.call('GET', `/v1/endpoints/${endpoint.id}/stats`, { key: theirs })).status).toBe(404);
    }
    await addEvent(eventId(2));
    await addAttempt(endpoint, { id: eventId(2), at: '2026-12-01T09:01:00Z' });
    const { nextCursor } = (await search({ limit: '1' })).body;
    const { key: theirs } = await api.key(stranger);
    expect(await search({ cursor: nextCursor }, theirs)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
  });

  it.each([
    ['an unknown status class', { statusClass: '6xx' }, 422, 'validation_failed'],
    ['an unknown outcome', { outcome: 'fine' }, 422, 'validation_failed'],
    ['a time that is none', { from: 'yesterday' }, 422, 'validation_failed'],
    ['an end before its beginning', { from: '2026-12-02T00:00:00Z', to: '2026-12-01T00:00:00Z' }, 422, 'validation_failed'],
    ['a page of a thousand', { limit: '1000' }, 422, 'validation_failed'],
    ['an unknown field', { state: 'failed' }, 422, 'validation_failed'],
    ['a forged cursor', { cursor: 'bm90aGluZw' }, 400, 'malformed_request'],
  ])('refuses %s', async (_what, query, status, code) => {
    expect(await search(query as Record<string, string>)).toMatchObject({ status, body: { code } });
  });

  it('an erasure takes the attempts of the person, in every partition, and leaves those of others', async () => {
    const user = await api.seed.user(scope);
    await api.seed.connection(await api.seed.app(scope), user);
    await addEvent(eventId(1));
    await addEvent(eventId(2));
    await api.db.pool.query('update event set user_id = $1 where tenant_id = $2 and id = $3', [user.id, scope.tenantId, eventId(1)]);
    const days = ['2026-11-30T23:00:00Z', '2026-12-01T01:00:00Z', '2031-01-01T00:00:00Z'];
    for (const [n, at] of days.entries()) for (const id of [eventId(1), eventId(2)]) await addAttempt(endpoint, { id, at, n });
    const partitions = await api.rows('select distinct tableoid from delivery_attempt where tenant_id = $1', [scope.tenantId]);
    expect(partitions.length).toBeGreaterThan(1);
    expect((await api.call('DELETE', `/v1/users/${user.id}`, { key })).status).toBeLessThan(300);
    const left = await api.rows<{ event_id: string }>('select event_id from delivery_attempt where tenant_id = $1 order by started_at', [
      scope.tenantId,
    ]);
    expect(left.map((row) => row.event_id)).toEqual(days.map(() => eventId(2)));
    expect(await search({ eventId: eventId(1) })).toMatchObject({ status: 404 });
  });
});
