import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing, newId } from '@tributary/service-shell';
import { drawRevisions, inTransaction } from '@tributary/storage';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, type SeededUser, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

interface Told {
  readonly id: string;
  readonly type: string;
  readonly revision: number;
  readonly data: Record<string, unknown> | null;
}

describe('the changes feed', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let user: SeededUser;
  let key: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
  });
  afterAll(() => api.stop());

  /** An environment of its own, so that each test reads from the first revision on. */
  async function begin(): Promise<void> {
    scope = await api.seed.environment();
    user = await api.seed.user(scope);
    ({ key } = await api.key(scope));
  }

  const insert = (sql: { query(text: string, values: unknown[]): Promise<unknown> }, revision: number, event: Partial<Told> = {}) =>
    sql.query(
      `insert into event (tenant_id, environment, id, type, revision, occurred_at, user_id, data)
       values ($1, $2, $3, $4, $5, '2026-11-29T08:00:00.120Z', $6, $7)`,
      [
        scope.tenantId,
        scope.environment,
        newId('evt'),
        event.type ?? 'daily.updated',
        revision,
        event.type === 'user.erased' ? null : user.id,
        event.data === null ? null : Buffer.from(JSON.stringify(event.data ?? { metric: 'steps', record: { value: revision } })),
      ],
    );
  const tell = (event: Partial<Told> = {}): Promise<number> =>
    inTransaction(api.db.pool, async (client) => {
      const revision = await drawRevisions(client, scope, 1);
      await insert(client, revision, event);
      return revision;
    });
  const read = (query = '', options = {}) => api.call('GET', `/v1/changes${query}`, { key, ...options });
  const revisions = (body: { data: Told[] }) => body.data.map((told) => told.revision);

  it('tells the very bytes of each event, in the order of revisions, and always where to go on', async () => {
    await begin();
    const data = { metric: 'steps', note: 'quote " and line\n', record: { value: 8_431.5 } };
    const first = await tell({ data });
    const second = await tell({ type: 'record.deleted', data: { metric: 'steps', reason: 'provider_deleted' } });
    const { body, headers } = await read();
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body.data).toEqual([
      { id: expect.stringMatching(/^evt_/), type: 'daily.updated', timestamp: '2026-11-29T08:00:00.120Z', revision: first, data },
      expect.objectContaining({ type: 'record.deleted', revision: second, data: { metric: 'steps', reason: 'provider_deleted' } }),
    ]);
    expect(body.hasMore).toBe(false);
    const empty = (await read(`?cursor=${body.nextCursor}`)).body;
    expect([empty.data, empty.hasMore]).toEqual([[], false]);
    const third = await tell();
    expect(revisions((await read(`?cursor=${empty.nextCursor}`)).body)).toEqual([third]);
  });

  it('never passes a revision that is drawn and not committed, whatever commits beside it', async () => {
    await begin();
    await tell();
    const slow = await api.db.pool.connect();
    await slow.query('begin');
    const late = await drawRevisions(slow, scope, 1);
    // Others come while the late one is open: none of them may become visible before it.
    const others = Array.from({ length: 5 }, () => tell());
    let cursor = '';
    const seen: number[] = [];
    const look = async () => {
      const { body } = await read(cursor);
      seen.push(...revisions(body));
      cursor = `?cursor=${body.nextCursor}`;
    };
    for (let n = 0; n < 3; n += 1) await look();
    expect(seen).toEqual([late - 1]);
    await insert(slow, late);
    await look();
    expect(seen).toEqual([late - 1]);
    await slow.query('commit');
    slow.release();
    await Promise.all(others);
    await look();
    expect(seen).toEqual([late - 1, late, late + 1, late + 2, late + 3, late + 4, late + 5]);
  });

  it('a reader who follows while many write, some of whom fail, sees each change once', async () => {
    await begin();
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const mine: number[] = [];
        for (let n = 0; n < 15; n += 1) {
          await inTransaction(api.db.pool, async (client) => {
            const from = await drawRevisions(client, scope, 2);
            await insert(client, from);
            await insert(client, from + 1);
            if ((n + writer) % 4 === 0) throw new Error('rolled back');
            mine.push(from, from + 1);
          }).catch((error: Error) => {
            if (error.message !== 'rolled back') throw error;
          });
        }
        return mine;
      }),
    ).finally(() => {
      writing = false;
    });
    const seen: number[] = [];
    let cursor = '?limit=7';
    for (let last = false; !last; ) {
      last = !writing;
      for (let more = true; more; ) {
        const { body } = await read(cursor);
        seen.push(...revisions(body));
        cursor = `?limit=7&cursor=${body.nextCursor}`;
        more = body.hasMore;
      }
    }
    const written = (await writers).flat().sort((a, b) => a - b);
    expect(written.length).toBeGreaterThan(100);
    expect(seen).toEqual(written);
  });

  it('filters by type, metric and person, and goes on behind what a filter rejects', async () => {
    await begin();
    const steps = await tell();
    const sleep = await tell({ type: 'sleep.updated', data: { metric: 'sleep_session' } });
    const erased = await tell({ type: 'user.erased', data: { user: { id: 'usr_x' } } });
    await tell({ type: 'endpoint.test', data: {} });
    expect(revisions((await read()).body)).toEqual([steps, sleep, erased]);
    expect(revisions((await read('?type=sleep.updated,user.erased')).body)).toEqual([sleep, erased]);
    expect(revisions((await read('?metric=steps')).body)).toEqual([steps]);
    expect(revisions((await read(`?user=${user.id}`)).body)).toEqual([steps, sleep]);
    const { body } = await read('?metric=floors_climbed');
    expect(body.data).toEqual([]);
    const after = await tell({ data: { metric: 'floors_climbed' } });
    expect(revisions((await read(`?cursor=${body.nextCursor}`)).body)).toEqual([after]);
  });

  it('tells what sources say, or what the resolved view shows, and what is about no record in both', async () => {
    await begin();
    const source = await tell();
    const view = await tell({ type: 'daily.updated', data: { metric: 'steps', view: 'resolved' } });
    const gone = await tell({ type: 'record.deleted', data: { metric: 'steps', view: 'resolved' } });
    await api.db.pool.query("update event set view = 'resolved' where tenant_id = $1 and revision = any ($2)", [
      scope.tenantId,
      [view, gone],
    ]);
    const granted = await tell({ type: 'connection.created', data: { provider: 'oura' } });
    expect(revisions((await read()).body)).toEqual([source, granted]);
    expect(revisions((await read('?view=resolved')).body)).toEqual([view, gone, granted]);
  });

  it('an erasure is told by its receipt once nothing names the person, and their changes are gone', async () => {
    await begin();
    await tell();
    const { body: receipt } = await api.call('DELETE', `/v1/users/${user.id}`, { key });
    const { body } = await read();
    expect(body.data).toEqual([
      expect.objectContaining({
        type: 'user.erased',
        data: {
          user: null,
          erasureId: receipt.erasureId,
          revision: body.data[0].revision,
          requestedAt: receipt.requestedAt,
          completedAt: receipt.completedAt,
        },
      }),
    ]);
    expect(JSON.stringify(body)).not.toContain(user.id);
    expect((await read(`?user=${user.id}`)).status).toBe(404);
  });

  it('starts from now when asked to', async () => {
    await begin();
    await tell();
    const { body } = await read('?start=now');
    expect(body.data).toEqual([]);
    const next = await tell();
    expect(revisions((await read(`?cursor=${body.nextCursor}`)).body)).toEqual([next]);
  });

  it('waits for a change, and answers as soon as there is one', async () => {
    await begin();
    const { nextCursor } = (await read()).body;
    const waiting = read(`?wait=30&cursor=${nextCursor}`);
    let answered = false;
    void waiting.then(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(answered).toBe(false);
    const revision = await tell();
    expect(revisions((await waiting).body)).toEqual([revision]);
    const { body } = await read(`?wait=1&cursor=${nextCursor}&metric=floors_climbed`);
    expect([body.data, body.hasMore]).toEqual([[], false]);
  });

  it('streams everything up to now, one change a line, with cursors to go on from', async () => {
    await begin();
    await api.db.pool.query(
      `with drawn as (update revision_counter set last_revision = 4500 where tenant_id = $1 and environment = $2)
       insert into event (tenant_id, environment, id, type, revision, occurred_at, user_id, data)
       select $1, $2, 'evt_' || lpad(n::text, 26, '0'), 'daily.updated', n, now(), $3, convert_to('{"metric":"steps"}', 'UTF8')
       from generate_series(1, 4500) n`,
      [scope.tenantId, scope.environment, user.id],
    );
    for (const [query, headers] of [
      ['?format=ndjson', {}],
      ['', { accept: 'application/x-ndjson' }],
    ] as const) {
      const { body, headers: sent } = await api.call('GET', `/v1/changes${query}`, { key, headers });
      expect(sent.get('content-type')).toMatch(/^application\/x-ndjson/);
      const lines = (typeof body === 'string' ? body : '')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { revision?: number; cursor?: string });
      expect(lines.filter((line) => line.cursor === undefined).map((line) => line.revision)).toEqual(
        Array.from({ length: 4_500 }, (_, n) => n + 1),
      );
      const cursors = lines.flatMap((line) => line.cursor ?? []);
      expect(cursors.length).toBeGreaterThan(1);
      expect(lines.at(-1)?.cursor).toBeDefined();
      const middle = lines.findIndex((line) => line.cursor !== undefined);
      const { body: rest } = await read(`?limit=1&cursor=${lines[middle]?.cursor}`);
      expect(rest.data[0].revision).toBe((lines[middle - 1]?.revision ?? 0) + 1);
    }
  });

  it('refuses cursors that are forged, of another list or another environment', async () => {
    await begin();
    await tell();
    const { nextCursor } = (await read()).body;
    await api.call('POST', '/v1/users', { key, body: { externalId: 'second' } });
    const users = (await api.call('GET', '/v1/users?limit=1', { key })).body.nextCursor;
    const flipped = `${nextCursor.slice(0, -2)}${nextCursor.endsWith('A') ? 'B' : 'A'}${nextCursor.slice(-1)}`;
    for (const cursor of [flipped, users, '1', Buffer.from('0').toString('base64url'), `' or 1=1`]) {
      for (const format of ['json', 'ndjson']) {
        const { status, body } = await read(`?format=${format}&cursor=${encodeURIComponent(cursor)}`);
        expect([cursor, status, typeof body === 'string' ? body : body.code]).toEqual([cursor, 400, 'malformed_request']);
      }
    }
    const stranger = await api.key(await api.seed.environment());
    const foreign = await api.call('GET', `/v1/changes?cursor=${nextCursor}`, { key: stranger.key });
    expect([foreign.status, foreign.body.code]).toEqual([400, 'malformed_request']);
    expect((await api.call('GET', '/v1/changes', { key: stranger.key })).body.data).toEqual([]);
    expect((await api.call('GET', `/v1/changes?user=${user.id}`, { key: stranger.key })).status).toBe(404);
  });

  it('says so when a cursor is older than what is kept, and what to do', async () => {
    await begin();
    await tell();
    const { nextCursor } = (await read()).body;
    const second = await tell();
    const third = await tell();
    await api.db.pool.query('delete from event where tenant_id = $1 and revision <= $2', [scope.tenantId, second]);
    await api.db.pool.query('update environment set changes_floor = $2 where tenant_id = $1', [scope.tenantId, second]);
    for (const format of ['json', 'ndjson']) {
      const { status, body } = await read(`?format=${format}&cursor=${nextCursor}`);
      expect([status, body.code, body.detail]).toEqual([410, 'cursor_expired', expect.stringContaining('start=now')]);
    }
    expect(revisions((await read()).body)).toEqual([third]);
  });

  it('questions that make no sense are refused by field', async () => {
    await begin();
    for (const [query, path] of [
      ['?limit=1001', 'limit'],
      ['?wait=31', 'wait'],
      ['?type=endpoint.test', 'type.0'],
      ['?metric=mood', 'metric'],
      ['?user=me', 'user'],
      ['?since=0', 'since'],
    ] as const) {
      const { status, body } = await read(query);
      expect([query, status, body.faults?.[0]?.path]).toEqual([query, 422, path]);
    }
  });
});
