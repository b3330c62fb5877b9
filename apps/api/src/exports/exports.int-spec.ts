import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing, newId } from '@tributary/service-shell';
import { conditionOf, heldStores, holdsOfOthers } from '../../../../packages/storage/src/exports/held-stores.js';
import { purges } from '../../../../packages/storage/src/erasure/registry.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import {
  type SeededApp,
  type SeededConnection,
  type SeededEnvironment,
  type SeededUser,
  TEST_KEYS,
} from '../../../../packages/storage/testing/seed.js';

interface Line {
  readonly store: string;
  readonly row?: Record<string, unknown>;
  readonly counts?: Record<string, number>;
}

describe('the export of one person', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let app: SeededApp;
  let anna: SeededUser;
  let connection: SeededConnection;
  let other: SeededConnection;
  let key: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    scope = await api.seed.environment();
    app = await api.seed.app(scope);
    anna = await api.seed.user(scope);
    connection = await api.seed.connection(app, anna);
    other = await api.seed.connection(app, await api.seed.user(scope));
    ({ key } = await api.key(scope));
    await api.db.pool.query(
      `insert into daily_rollup (tenant_id, environment, user_id, provider, metric, local_date, source_id, value, unit, connection_id, provider_record_id,
         source, date_basis, day_model, provisional, version, inferred, revision, content_hash)
       select $1, $2, u, 'oura', 'steps', '2024-01-01'::date + n, 'src', n, '{steps}', c, 'doc', '{}', 'provider_date', 'civil', false, 1, true, n, 'hash'
       from generate_series(1, 1201) n, unnest($3::text[], $4::text[]) x(u, c)`,
      [scope.tenantId, scope.environment, [anna.id, other.userId], [connection.id, other.id]],
    );
    await insert('event', {
      id: newId('evt'),
      type: 'daily.updated',
      revision: 1,
      occurred_at: new Date(),
      user_id: anna.id,
      data: Buffer.from('{"metric":"steps","record":{"value":1}}'),
    });
    for (const [id, people] of [
      ['own', [connection]],
      ['shared', [connection, other]],
    ] as const) {
      const deliveryKey = randomUUID();
      await insert('webhook_delivery', {
        delivery_key: deliveryKey,
        delivery_id: id,
        provider_app_id: app.id,
        notices: people.length,
        grade: 'signed',
        secret_id: app.clientSecretId,
        body_hash: Buffer.from('h'),
        raw_body: Buffer.from(`{"of":"${id}"}`),
      });
      for (const [ordinal, person] of people.entries()) {
        await insert('webhook_notice', {
          delivery_key: deliveryKey,
          provider_app_id: app.id,
          ordinal,
          connection_id: person.id,
          collection: 'sleep',
          kind: 'changed',
          window_kind: 'object',
          window_start: 'doc',
          window_end: 'doc',
        });
      }
    }
  });
  afterAll(() => api.stop());

  const insert = (table: string, row: Record<string, unknown>) => {
    const full: Record<string, unknown> = { tenant_id: scope.tenantId, environment: scope.environment, ...row };
    const names = Object.keys(full);
    return api.db.pool.query(
      `insert into ${table} (${names.join()}) values (${names.map((_, n) => `$${n + 1}`).join()})`,
      Object.values(full),
    );
  };
  const download = async (userId: string): Promise<Line[]> => {
    const { status, body, headers } = await api.call('GET', `/v1/users/${userId}/export`, { key });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${userId}.ndjson"`);
    return (body as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  };

  it('has every row of theirs once, over as many slices as it takes, and of nobody else', async () => {
    const lines = await download(anna.id);
    const of = (store: string) => lines.filter((line) => line.store === store).map((line) => line.row as Record<string, unknown>);
    expect(of('app_user')).toEqual([expect.objectContaining({ id: anna.id, external_id: anna.externalId })]);
    expect(of('daily_rollup').map((row) => row['value'])).toEqual(Array.from({ length: 1_201 }, (_, n) => n + 1));
    expect(of('event')).toEqual([expect.objectContaining({ data: { metric: 'steps', record: { value: 1 } } })]);
    expect(of('connection')).toEqual([expect.objectContaining({ id: connection.id, subject_id: connection.subjectId })]);
    expect(of('webhook_delivery').map((row) => [row['delivery_id'], Buffer.from(row['raw_body'] as string, 'base64').toString()])).toEqual([
      ['own', '{"of":"own"}'],
    ]);
    expect(of('webhook_notice')).toHaveLength(2);
    const end = lines.at(-1);
    expect(end?.store).toBe('end');
    expect(end?.counts).toMatchObject({ daily_rollup: 1_201, event: 1, webhook_notice: 2, webhook_delivery: 1, series_day: 0 });
    expect(Object.values(end?.counts ?? {}).reduce((sum, count) => sum + count, 0)).toBe(lines.length - 1);
    const text = JSON.stringify(lines);
    expect(text).not.toContain(other.id);
    expect(text).not.toContain(other.userId);
  });

  it('has no token, nothing sealed and no other tenant in it', async () => {
    const text = JSON.stringify(await download(anna.id));
    for (const secret of [
      connection.accessToken,
      connection.refreshToken,
      'access_token',
      'refresh_token',
      'state_hash',
      'content_hash',
      'lease_token',
      scope.tenantId,
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it('every table of the registry of erasure is in it, and each can be read', () => {
    const stores = new Set(heldStores.map((store) => store.table));
    const missing = purges.filter(
      ({ name, table, text }) => !stores.has(table) && !Object.hasOwn(holdsOfOthers, name) && /^\s*delete/.test(text),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
    expect(conditionOf('delete from a where b = $1')).toBe('b = $1');
    expect(conditionOf('update a set b = null where c = $1')).toBeUndefined();
  });

  it('is written down, and of a stranger there is none', async () => {
    await download(anna.id);
    const [line] = await api.rows<{ count: number }>(
      `select count(*)::int as count from audit_log where tenant_id = $1 and action = 'user.export' and target = $2`,
      [scope.tenantId, anna.id],
    );
    expect(line?.count).toBeGreaterThan(0);
    const stranger = await api.key(await api.seed.environment());
    const { status, body } = await api.call('GET', `/v1/users/${anna.id}/export`, { key: stranger.key });
    expect([status, body.code]).toEqual([404, 'not_found']);
  });
});
