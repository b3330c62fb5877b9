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

const keys = new KeyRing(TEST_KEYS);

describe('erasing a person', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let app: SeededApp;
  let key: string;

  beforeAll(async () => {
    api = await startApi(keys);
    scope = await api.seed.environment();
    app = await api.seed.app(scope);
    ({ key } = await api.key(scope));
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

  /** Something of the person in every table. `shared`: a delivery that also names somebody else. */
  async function live(
    user: SeededUser,
    connection: SeededConnection,
    shared: { deliveryId: string; with: SeededConnection },
  ): Promise<void> {
    const said = JSON.stringify({
      user: { id: user.id, externalId: user.externalId },
      connectionId: connection.id,
      subject: connection.subjectId,
    });
    const delivery = { provider_app_id: app.id, grade: 'signed', secret_id: app.clientSecretId, body_hash: Buffer.from('h') };
    const own = randomUUID();
    await insert('webhook_delivery', { ...delivery, delivery_key: own, delivery_id: own, raw_body: Buffer.from(said) });
    const two = { delivery_key: shared.deliveryId, delivery_id: shared.deliveryId, notices: 2 };
    await insert('webhook_delivery', { ...delivery, ...two, raw_body: Buffer.from(said) });
    const notice = {
      provider_app_id: app.id,
      collection: 'sleep',
      kind: 'changed',
      window_kind: 'object',
      window_start: 'doc',
      window_end: 'doc',
    };
    await insert('webhook_notice', { ...notice, delivery_key: own, ordinal: 0, connection_id: connection.id });
    await insert('webhook_notice', { ...notice, delivery_key: shared.deliveryId, ordinal: 0, connection_id: connection.id });
    await insert('webhook_notice', { ...notice, delivery_key: shared.deliveryId, ordinal: 1, connection_id: shared.with.id });
    await insert('fetch_window', {
      connection_id: connection.id,
      collection: 'sleep',
      window_kind: 'object',
      window_start: 'doc',
      window_end: 'doc',
      due_at: new Date(),
    });
    await insert('dead_letter', {
      id: newId('dl'),
      provider: 'oura',
      provider_app_id: app.id,
      user_id: user.id,
      connection_id: connection.id,
      bucket: 'drift',
      code: 'c',
      detail: 'd',
    });
    const dated = {
      user_id: user.id,
      provider: 'oura',
      connection_id: connection.id,
      provider_record_id: `doc-${connection.subjectId}`,
      source: JSON.stringify({ id: 'src', type: 'ring', of: connection.subjectId }),
      source_id: 'src',
      local_date: '2026-11-29',
      date_basis: 'provider_date',
      day_model: 'civil_0400',
      provisional: false,
      version: 1,
      inferred: true,
      revision: 1,
      content_hash: Buffer.from('c'),
    };
    await insert('daily_rollup', { ...dated, metric: 'steps', value: 8_431, unit: '{steps}' });
    await insert('session_record', {
      ...dated,
      kind: 'sleep',
      record_id: 'rec',
      started_at: new Date(),
      ended_at: new Date(),
      detail: said,
    });
    const event = newId('evt');
    await api.db.pool.query('update revision_counter set last_revision = last_revision + 1 where tenant_id = $1', [scope.tenantId]);
    const [counter] = await api.rows<{ last_revision: number }>('select last_revision from revision_counter where tenant_id = $1', [
      scope.tenantId,
    ]);
    await insert('event', {
      id: event,
      type: 'daily.updated',
      revision: counter?.last_revision,
      occurred_at: new Date(),
      user_id: user.id,
      data: Buffer.from(said),
    });
    await insert('event_delivery', { event_id: event, endpoint_id: 'ep_gone', state: 'delivered', next_attempt_at: new Date() });
    await insert('delivery_attempt', {
      event_id: event,
      endpoint_id: 'ep_gone',
      n: 1,
      started_at: new Date(),
      duration_ms: 1,
      outcome: 'ok',
      response_headers: said,
      response_body: Buffer.from(said),
    });
    await insert('connect_session', {
      id: newId('ses'),
      user_id: user.id,
      provider_app_id: app.id,
      state_hash: Buffer.from(randomUUID()),
      redirect_uri: 'http://api.example/connect/callback',
      return_url: `https://customer.example/${user.externalId}`,
      expires_at: new Date(),
    });
    await insert('audit_log', { id: newId('aud'), actor: 'key', action: 'user.create', target: user.id });
    await insert('audit_log', { id: newId('aud'), actor: 'consent', action: 'connection.grant', target: connection.id });
  }

  /** Every table of every schema of ours, row by row as text, with byte columns also read as text. Names the tables that hold a needle. */
  async function search(needles: readonly string[]): Promise<string[]> {
    const tables = await api.rows<{ name: string; bytes: string[] }>(`
      select quote_ident(t.table_schema) || '.' || quote_ident(t.table_name) as name,
        array_remove(array_agg(case when c.data_type = 'bytea' then quote_ident(c.column_name) end), null) as bytes
      from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
      where t.table_schema in ('public', 'bullmq') and t.table_type = 'BASE TABLE' group by 1 order by 1`);
    expect(tables.length).toBeGreaterThan(20);
    const found: string[] = [];
    for (const { name, bytes } of tables) {
      const haystack = ['t::text', ...bytes.map((column) => `encode(${column}, 'escape')`)]
        .map((part) => `coalesce(${part}, '')`)
        .join(` || ' ' || `);
      const [row] = await api.rows<{ n: number }>(
        `select count(*)::int as n from ${name} t where exists (select from unnest($1::text[]) x where position(x in ${haystack}) > 0)`,
        [needles],
      );
      if ((row?.n ?? 0) > 0) found.push(name);
    }
    return found;
  }

  it('leaves nothing of them in any table or queue but the event that tells of it, and nothing of others is touched', async () => {
    const endpoint = await api.seed.endpoint(scope);
    const [mine, theirs] = [await api.seed.user(scope), await api.seed.user(scope)];
    const [connection, other] = [await api.seed.connection(app, mine), await api.seed.connection(app, theirs)];
    const shared = randomUUID();
    await live(mine, connection, { deliveryId: shared, with: other });
    await live(theirs, other, { deliveryId: randomUUID(), with: other });
    const needles = [mine.id, mine.externalId, connection.id, connection.subjectId];
    expect((await search(needles)).length).toBeGreaterThan(11);
    const before = await search([theirs.id, other.id, other.subjectId]);

    const { status, body } = await api.call('DELETE', `/v1/users/${mine.id}`, { key });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      erasureId: expect.stringMatching(/^era_/),
      requestedAt: expect.any(String),
      completedAt: expect.any(String),
      counts: {
        subject_tombstone: 1,
        upstream_revocation: 1,
        delivery_attempt: 1,
        event_delivery: 1,
        audit_log: 2,
        event: 1,
        dead_letter: 1,
        webhook_delivery: 1,
        webhook_delivery_body: 1,
        webhook_notice: 2,
        fetch_window: 1,
        daily_rollup: 1,
        session_record: 1,
        connect_session: 1,
        connection: 1,
        app_user: 1,
      },
    });
    expect((await api.call('GET', `/v1/erasures/${body.erasureId}`, { key })).body).toEqual(body);
    expect(await search(needles)).toEqual(['public.event']);
    const told = await api.rows<{ type: string; data: Buffer; user_id: string | null; endpoint_id: string; state: string }>(
      `select e.type, e.data, e.user_id, d.endpoint_id, d.state from event e join event_delivery d on d.event_id = e.id where e.type = 'user.erased' and e.tenant_id = $1`,
      [scope.tenantId],
    );
    expect(told).toEqual([expect.objectContaining({ user_id: null, endpoint_id: endpoint.id, state: 'pending' })]);
    expect(JSON.parse(told[0]?.data.toString() ?? '')).toMatchObject({
      user: { id: mine.id, externalId: mine.externalId },
      erasureId: body.erasureId,
    });
    // As outbound does once the last endpoint was told.
    await api.db.pool.query(`update event set data = null where type = 'user.erased'`);
    expect(await search(needles)).toEqual([]);

    expect(await search([theirs.id, other.id, other.subjectId])).toEqual(before);
    expect(await api.rows('select raw_body from webhook_delivery where delivery_id = $1', [shared])).toEqual([{ raw_body: null }]);
    const owed = await api.rows<{ id: string; access_token: Buffer }>(
      'select id, access_token from upstream_revocation where tenant_id = $1',
      [scope.tenantId],
    );
    expect(owed.map((row) => keys.open(row.access_token, `upstream_revocation:${row.id}`))).toEqual([connection.accessToken]);
    const audit = await api.rows('select action, target from audit_log where action = $1 and tenant_id = $2', [
      'user.erase',
      scope.tenantId,
    ]);
    expect(audit).toEqual([{ action: 'user.erase', target: body.erasureId }]);
    expect((await api.call('DELETE', `/v1/users/${mine.id}`, { key })).status).toBe(404);
  });

  it('with no endpoint to tell, the event keeps no name', async () => {
    const quiet = await api.seed.environment();
    const user = await api.seed.user(quiet);
    await api.call('DELETE', `/v1/users/${user.id}`, { key: (await api.key(quiet)).key });
    expect(await api.rows('select type, data from event where tenant_id = $1', [quiet.tenantId])).toEqual([
      { type: 'user.erased', data: null },
    ]);
    expect(await search([user.id, user.externalId])).toEqual([]);
  });

  it('an endpoint that goes away takes its part of the event along', async () => {
    const alone = await api.seed.environment();
    const { key: its } = await api.key(alone);
    const endpoint = await api.seed.endpoint(alone);
    const user = await api.seed.user(alone);
    await api.call('DELETE', `/v1/users/${user.id}`, { key: its });
    expect(await search([user.id])).toEqual(['public.event']);
    expect((await api.call('DELETE', `/v1/endpoints/${endpoint.id}`, { key: its })).status).toBe(204);
    expect(await search([user.id, user.externalId])).toEqual([]);
  });

  it('waits for whoever writes about the connection, and takes what they wrote along', async () => {
    const user = await api.seed.user(scope);
    const connection = await api.seed.connection(app, user);
    const writer = await api.db.pool.connect();
    await writer.query('begin');
    await writer.query('select 1 from connection where id = $1 for key share', [connection.id]);
    const erasing = api.call('DELETE', `/v1/users/${user.id}`, { key });
    for (let tries = 0; tries < 200; tries += 1) {
      const [waiting] = await api.rows<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if ((waiting?.n ?? 0) > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await writer.query(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, due_at)
       values ($1, $2, $3, 'sleep', 'object', 'late', 'late', now())`,
      [scope.tenantId, scope.environment, connection.id],
    );
    await writer.query('commit');
    writer.release();
    expect((await erasing).body.counts).toMatchObject({ fetch_window: 1, connection: 1 });
    expect(await search([connection.id])).toEqual([]);
  });

  it('two erasures of one person at once: one receipt, one event', async () => {
    const user = await api.seed.user(scope);
    const replies = await Promise.all([1, 2, 3].map(() => api.call('DELETE', `/v1/users/${user.id}`, { key })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    const events = await api.rows<{ data: Buffer | null }>(`select data from event where type = 'user.erased' and tenant_id = $1`, [
      scope.tenantId,
    ]);
    expect(events.filter(({ data }) => data?.includes(user.id))).toHaveLength(1);
  });
});
