import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing, newId } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import {
  type SeededApp,
  type SeededConnection,
  type SeededEnvironment,
  type SeededUser,
  TEST_KEYS,
} from '../../../../packages/storage/testing/seed.js';

describe('why a value is what it is', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let app: SeededApp;
  let user: SeededUser;
  let connection: SeededConnection;
  let key: string;
  const eventId = newId('evt');
  const letterId = newId('dl');

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    scope = await api.seed.environment();
    app = await api.seed.app(scope);
    user = await api.seed.user(scope);
    connection = await api.seed.connection(app, user);
    ({ key } = await api.key(scope));
    await insert('daily_rollup', {
      user_id: user.id,
      provider: 'oura',
      metric: 'steps',
      local_date: '2026-11-29',
      source_id: 'src',
      value: 31_337,
      unit: '{steps}',
      connection_id: connection.id,
      collection: 'daily_activity',
      provider_record_id: 'doc-1',
      source: '{"id":"src","type":"ring"}',
      date_basis: 'fallback_zone',
      day_model: 'civil_0400',
      provisional: true,
      version: 1_795_938_764_123_456,
      inferred: true,
      revision: 12,
      content_hash: Buffer.from('abcd', 'hex'),
      fresh_from: 1_795_938_764_000,
      fresh_to: 1_795_938_765_000,
      ingested_at: 1_795_938_766_000,
    });
    await insert('event', {
      id: eventId,
      type: 'daily.updated',
      revision: 12,
      occurred_at: '2026-11-29T07:53:00Z',
      user_id: user.id,
      data: Buffer.from('{}'),
    });
    await insert('event_delivery', {
      event_id: eventId,
      endpoint_id: 'ep_1',
      state: 'delivered',
      attempts: 2,
      next_attempt_at: new Date(),
    });
    for (const [kind, start, end] of [
      ['days', '2026-11-27', '2026-11-30'],
      ['object', 'doc-1', 'doc-1'],
      ['days', '2026-11-20', '2026-11-29'],
      ['object', 'doc-2', 'doc-2'],
      ['instants', '2026-11-29T01:00:00.000Z', '2026-11-29T02:00:00.000Z'],
    ] as const) {
      await insert('fetch_window', {
        connection_id: connection.id,
        collection: 'daily_activity',
        window_kind: kind,
        window_start: start,
        window_end: end,
        state: kind === 'object' ? 'waiting' : 'settled',
        due_at: '2026-11-30T08:00:00Z',
        notices: 3,
        fetches: 1,
        read_version: kind === 'days' ? 1_795_938_764_123_456 : null,
      });
      await told(start, kind, end);
    }
    await insert('missing_row', {
      connection_id: connection.id,
      collection: 'daily_activity',
      record_table: 'daily_rollup',
      row_name: 'daily_rollup ["steps","2026-11-29","src"]',
      local_date: '2026-11-29',
      sent_at: '2026-11-30T06:00:00Z',
      scopes: [],
      normalizer_version: 1,
    });
    await insert('dead_letter', {
      id: letterId,
      provider: 'oura',
      provider_app_id: app.id,
      user_id: user.id,
      connection_id: connection.id,
      collection: 'daily_activity',
      window_kind: 'object',
      window_start: 'doc-1',
      window_end: 'doc-1',
      bucket: 'drift',
      code: 'unknown_shape',
      detail: 'd',
    });
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
  async function told(start: string, kind: string, end: string): Promise<void> {
    const deliveryKey = randomUUID();
    const delivery = { delivery_key: deliveryKey, provider_app_id: app.id };
    await insert('webhook_delivery', {
      ...delivery,
      delivery_id: start,
      grade: 'signed',
      secret_id: app.clientSecretId,
      body_hash: Buffer.from(`hash of ${start}`),
      raw_body: Buffer.from('{"secret":"body bytes"}'),
    });
    await insert('webhook_notice', {
      ...delivery,
      ordinal: 0,
      connection_id: connection.id,
      collection: 'daily_activity',
      kind: 'changed',
      status: kind === 'object' ? 'received' : 'applied',
      window_kind: kind,
      window_start: start,
      window_end: end,
    });
  }
  const explain = (fields: Record<string, string>, withKey = key) =>
    api.call(
      'GET',
      `/v1/records/explain?${new URLSearchParams({ kind: 'daily', user: user.id, metric: 'steps', provider: 'oura', sourceId: 'src', localDate: '2026-11-29', ...fields }).toString()}`,
      {
        key: withKey,
      },
    );

  it('goes from the event to the reads and the webhooks of that document and day, and to no others', async () => {
    const { status, body } = await explain({});
    expect(status).toBe(200);
    expect(body.value).toMatchObject({
      revision: 12,
      inferred: true,
      version: '2026-11-29T07:52:44.123456Z',
      contentHash: 'abcd',
      deleted: false,
    });
    expect(body.look).toMatchObject({
      via: 'pull',
      documentId: 'doc-1',
      trueFrom: '2026-11-29T07:52:44.000Z',
      trueTo: '2026-11-29T07:52:45.000Z',
    });
    expect(body.event).toEqual({
      id: eventId,
      type: 'daily.updated',
      occurredAt: '2026-11-29T07:53:00.000Z',
      deliveries: [{ endpointId: 'ep_1', state: 'delivered', attempts: 2, endedAt: null }],
    });
    const windows = (list: { window: { kind: string; start: string } }[]) =>
      list.map(({ window }) => `${window.kind} ${window.start}`).sort();
    const about = ['days 2026-11-27', 'instants 2026-11-29T01:00:00.000Z', 'object doc-1'];
    expect(windows(body.reads)).toEqual(about);
    expect(windows(body.notices)).toEqual(about);
    expect(body.reads[0].readAt).toBe('2026-11-29T07:52:44.123456Z');
    expect(
      body.notices.map((notice: { delivery: { bodyHash: string } }) => Buffer.from(notice.delivery.bodyHash, 'hex').toString()).sort(),
    ).toEqual(['hash of 2026-11-27', 'hash of 2026-11-29T01:00:00.000Z', 'hash of doc-1']);
    expect(body.absences).toEqual([{ firstLackedAt: '2026-11-30T06:00:00.000Z', confirmed: false }]);
    expect(body.deadLetters).toEqual([expect.objectContaining({ id: letterId, code: 'unknown_shape', closedAt: null })]);
  });

  it('says it in words, and shows no value, body or token', async () => {
    const { body } = await explain({});
    const said = body.reasons.join(' ');
    for (const part of ['start of our read', 'fallback zone', 'lacked it', 'unknown_shape', 'due or under way'])
      expect(said).toContain(part);
    const text = JSON.stringify(body);
    for (const hidden of ['31337', 'body bytes', connection.accessToken, connection.subjectId]) expect(text).not.toContain(hidden);
  });

  it('explains what is gone', async () => {
    await api.db.pool.query(`update daily_rollup set deleted = true, delete_reason = 'absent_confirmed' where user_id = $1`, [user.id]);
    const { body } = await explain({});
    expect([body.value.deleted, body.value.deleteReason]).toEqual([true, 'absent_confirmed']);
    expect(body.reasons[0]).toMatch(/^It is gone\. Two complete reads/);
  });

  it('knows nothing of what never was, or is of another tenant', async () => {
    expect((await explain({ localDate: '2026-11-28' })).body.code).toBe('not_found');
    const stranger = await api.key(await api.seed.environment());
    expect((await explain({}, stranger.key)).status).toBe(404);
    expect((await explain({ metric: 'mood' })).status).toBe(422);
  });
});
