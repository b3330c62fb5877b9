import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing, newId } from '@tributary/service-shell';
import { type SeededApp, type SeededConnection, type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';

interface Wish {
  readonly bucket?: string;
  readonly code?: string;
  readonly collection?: string;
  readonly openedAt?: string;
}

describe('dead letters over the API', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  let app: SeededApp;
  let ada: SeededConnection;
  let ben: SeededConnection;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
    app = await api.seed.app(scope);
    ada = await api.seed.connection(app, await api.seed.user(scope));
    ben = await api.seed.connection(app, await api.seed.user(scope));
  });

  /** A window that was given up, with its letter. */
  async function letter(
    of: SeededConnection,
    item: string,
    { bucket = 'transient', code = 'http_500', collection = 'sleep', openedAt }: Wish = {},
  ) {
    const id = newId('dl');
    await api.db.pool.query(
      `with window_of as (
         insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, state, attempts, due_at)
         values ($1, $2, $4, $6, 'object', $7, $7, 'dead', 12, now() - interval '1 hour'))
       insert into dead_letter (tenant_id, environment, id, provider, provider_app_id, user_id, connection_id, collection, window_kind,
         window_start, window_end, bucket, code, detail, normalizer_version, opened_at)
       values ($1, $2, $3, 'oura', $5, $8, $4, $6, 'object', $7, $7, $9, $10, 'at', 1, coalesce($11::timestamptz, now()))`,
      [scope.tenantId, scope.environment, id, of.id, app.id, collection, item, of.userId, bucket, code, openedAt ?? null],
    );
    return id;
  }

  /** A delivery that could not be read at all. */
  async function bodyLetter() {
    const id = newId('dl');
    await api.db.pool.query(
      `insert into dead_letter (tenant_id, environment, id, provider, provider_app_id, bucket, code, detail, body_hash)
       values ($1, $2, $3, 'oura', $4, 'drift', 'malformed_delivery', 'at', $5)`,
      [scope.tenantId, scope.environment, id, app.id, Buffer.from(id)],
    );
    return id;
  }

  const replay = (body: object) => api.call('POST', '/v1/dead-letters/replay', { key, body });
  const states = () =>
    api.rows<{ item: string; state: string }>('select window_start as item, state from fetch_window where tenant_id = $1 order by 1', [
      scope.tenantId,
    ]);
  const audit = () => api.rows('select action, target from audit_log where tenant_id = $1 order by at, id', [scope.tenantId]);

  it('the summary says how many people look at a wrong day, why, and since when', async () => {
    await letter(ada, 'a', { openedAt: '2026-11-01T00:00:00Z' });
    await letter(ada, 'b');
    await letter(ben, 'a');
    await letter(ben, 'c', { bucket: 'drift', code: 'drift' });
    await bodyLetter();
    const { body } = await api.call('GET', '/v1/dead-letters/summary', { key });
    expect(body).toMatchObject({ usersAffected: 2, open: 5, byBucket: { transient: 3, drift: 2, unresolvable: 0 } });
    expect(body.groups).toEqual([
      { bucket: 'transient', provider: 'oura', code: 'http_500', usersAffected: 2, open: 3, oldestAt: '2026-11-01T00:00:00.000Z' },
      { bucket: 'drift', provider: 'oura', code: 'drift', usersAffected: 1, open: 1, oldestAt: expect.any(String) },
      { bucket: 'drift', provider: 'oura', code: 'malformed_delivery', usersAffected: 0, open: 1, oldestAt: expect.any(String) },
    ]);
    const { key: other } = await api.key(await api.seed.environment());
    expect((await api.call('GET', '/v1/dead-letters/summary', { key: other })).body).toEqual({
      usersAffected: 0,
      open: 0,
      byBucket: { transient: 0, drift: 0, unresolvable: 0 },
      groups: [],
    });
  });

  it('a list is of what its filter names', async () => {
    const first = await letter(ada, 'a');
    // Newest first is by id, and ids of one millisecond have no order.
    for (const began = Date.now(); Date.now() <= began; ) await setImmediate();
    const second = await letter(ben, 'b', { collection: 'workout', code: 'http_503' });
    const ids = async (query: string) =>
      (await api.call('GET', `/v1/dead-letters?${query}`, { key })).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('provider=oura')).toEqual([second, first]);
    expect(await ids('provider=whoop')).toEqual([]);
    expect(await ids('collection=workout')).toEqual([second]);
    expect(await ids(`connectionId=${ada.id}`)).toEqual([first]);
    expect(await ids('code=http_503&bucket=transient')).toEqual([second]);
    expect((await api.call('GET', `/v1/dead-letters/${first}`, { key })).body).toMatchObject({
      id: first,
      window: { kind: 'object', start: 'a', end: 'a' },
      replays: 0,
      replayedAt: null,
    });
  });

  it('a bulk replay counts first if asked to, then reads all again that another read can mend, and says what it left', async () => {
    await letter(ada, 'a');
    await letter(ben, 'b', { bucket: 'drift', code: 'drift' });
    await letter(ben, 'never', { bucket: 'unresolvable', code: 'forbidden' });
    await bodyLetter();
    const gone = await api.seed.connection(await api.seed.app(scope), await api.seed.user(scope), { status: 'disconnected' });
    await letter(gone, 'gone');
    const counted = { matched: 5, replayed: 2, remaining: 0, left: { unresolvable: 1, withoutWindow: 1, connectionEnded: 1 } };
    const before = await states();
    expect((await replay({ dryRun: true })).body).toEqual({ dryRun: true, ...counted });
    expect(await states()).toEqual(before);
    expect(await audit()).toEqual([]);
    const done = await replay({});
    expect([done.status, done.body]).toEqual([202, { dryRun: false, ...counted }]);
    expect(await states()).toEqual([
      { item: 'a', state: 'waiting' },
      { item: 'b', state: 'waiting' },
      { item: 'gone', state: 'dead' },
      { item: 'never', state: 'dead' },
    ]);
    expect(await audit()).toEqual([{ action: 'dead_letter.replay', target: '2 dead letters' }]);
    expect((await replay({ bucket: 'transient', userId: ada.userId })).body).toMatchObject({ matched: 1, replayed: 1 });
    expect((await replay({ openedBefore: '2020-01-01T00:00:00Z' })).body).toMatchObject({ matched: 0, replayed: 0 });
  });

  it('what no read can mend is refused with a word for it, in bulk and alone', async () => {
    const id = await letter(ada, 'a', { bucket: 'unresolvable', code: 'forbidden' });
    const unread = await bodyLetter();
    for (const refused of [
      await replay({ bucket: 'unresolvable' }),
      await api.call('POST', `/v1/dead-letters/${id}/replay`, { key }),
      await api.call('POST', `/v1/dead-letters/${unread}/replay`, { key }),
    ])
      expect([refused.status, refused.body.code, refused.body.type]).toEqual([409, 'not_replayable', '/problems/not_replayable']);
    expect(await states()).toEqual([{ item: 'a', state: 'dead' }]);
    expect(await audit()).toEqual([]);
  });

  it('one is replayed by its id, and once closed no more', async () => {
    const id = await letter(ada, 'a');
    const { status, body } = await api.call('POST', `/v1/dead-letters/${id}/replay`, { key });
    expect([status, body.replays, body.closedAt]).toEqual([202, 1, null]);
    expect(await states()).toEqual([{ item: 'a', state: 'waiting' }]);
    expect(
      await api.rows('select due_at <= now() as due, attempts, priority from fetch_window where tenant_id = $1', [scope.tenantId]),
    ).toEqual([{ due: true, attempts: 0, priority: 1 }]);
    const jobs = await api.rows<{ data: { key: string } }>(`select data from bullmq.job where data->>'key' like $1`, [
      `${scope.tenantId}/%`,
    ]);
    expect(jobs.map(({ data }) => data.key)).toEqual([`${scope.tenantId}/test#0`]);
    await api.db.pool.query(`update dead_letter set closed_at = now(), close_reason = 'refreshed' where id = $1`, [id]);
    const again = await api.call('POST', `/v1/dead-letters/${id}/replay`, { key });
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);
    expect(await audit()).toEqual([{ action: 'dead_letter.replay', target: id }]);
  });

  it('one is discarded once, keeps the reason, and leaves the window as it is', async () => {
    const id = await letter(ada, 'a', { bucket: 'unresolvable', code: 'forbidden' });
    for (let n = 0; n < 2; n += 1) {
      const { status, body } = await api.call('POST', `/v1/dead-letters/${id}/discard`, { key });
      expect([status, body.closeReason]).toEqual([200, 'discarded']);
    }
    expect(await states()).toEqual([{ item: 'a', state: 'dead' }]);
    expect(await audit()).toEqual([{ action: 'dead_letter.discard', target: id }]);
    expect((await api.call('GET', '/v1/dead-letters/summary', { key })).body.open).toBe(0);
  });

  it('nobody reads, replays or discards what is another tenant’s', async () => {
    const id = await letter(ada, 'a');
    const { key: stranger } = await api.key(await api.seed.environment());
    const as = (method: string, path: string, body?: object) => api.call(method, path, { key: stranger, ...(body ? { body } : {}) });
    expect((await as('GET', `/v1/dead-letters/${id}`)).status).toBe(404);
    expect((await as('POST', `/v1/dead-letters/${id}/replay`)).status).toBe(404);
    expect((await as('POST', `/v1/dead-letters/${id}/discard`)).status).toBe(404);
    expect((await as('POST', '/v1/dead-letters/replay', { userId: ada.userId })).body).toMatchObject({ matched: 0, replayed: 0 });
    expect(await states()).toEqual([{ item: 'a', state: 'dead' }]);
  });

  it('an erased person takes their dead letters and what was written down about them along', async () => {
    const id = await letter(ada, 'a');
    await api.call('POST', `/v1/dead-letters/${id}/replay`, { key });
    await api.call('DELETE', `/v1/users/${ada.userId}`, { key });
    expect(await api.rows('select 1 from dead_letter where tenant_id = $1', [scope.tenantId])).toEqual([]);
    expect((await audit()).map((row) => (row as { action: string }).action)).not.toContain('dead_letter.replay');
  });
});
