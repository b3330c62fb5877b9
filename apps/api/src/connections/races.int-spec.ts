// doubles: the provider, by the stand-in, which answers when the test lets it.
// oracles: rows.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type StandInOura, startStandInOura } from '../../testing/stand-in-oura.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

const keys = new KeyRing(TEST_KEYS);

describe('connecting while something else happens', () => {
  let api: RunningApi;
  let oura: StandInOura;
  let scope: SeededEnvironment;
  let key: string;

  beforeAll(async () => {
    oura = await startStandInOura({ id: 'client-1', secret: 'secret-1' });
    api = await startApi(keys, { TRIBUTARY_SANDBOX_URL: oura.url });
  });
  afterAll(async () => {
    await api.stop();
    await oura.stop();
  });
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
    const body = { provider: 'oura', clientId: 'client-1', clientSecret: 'secret-1', sandbox: true };
    expect((await api.call('POST', '/v1/provider-apps', { key, body })).status).toBe(201);
  });

  /** A consent up to where the person comes back, by the address that they come back to. */
  async function agreed(externalId: string, subjectId: string): Promise<string> {
    const { body } = await api.call('POST', '/v1/connect-sessions', { key, body: { user: { externalId }, provider: 'oura' } });
    const code = randomUUID();
    oura.codes.set(code, { subjectId });
    return `/connect/callback?code=${code}&state=${new URL(body.authorizeUrl).searchParams.get('state')}`;
  }

  interface Held {
    id: string;
    user_id: string;
    status: string;
    access_token: Buffer | null;
  }
  const connections = () =>
    api.rows<Held>('select id, user_id, status, access_token from connection where tenant_id = $1 order by id', [scope.tenantId]);
  const told = () =>
    api.rows<{ type: string; revision: number }>('select type, revision from event where tenant_id = $1 order by revision', [
      scope.tenantId,
    ]);
  const count = async (table: string) =>
    (await api.rows<{ n: number }>(`select count(*)::int as n from ${table} where tenant_id = $1`, [scope.tenantId]))[0]?.n;

  it('five consents of one user at once: one connection with one grant that opens, one running backfill', async () => {
    const returns = [];
    for (let n = 0; n < 5; n += 1) returns.push(await agreed('person-1', 'subject-1'));
    const replies = await Promise.all(returns.map((address) => api.call('GET', address)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const [held, ...others] = await connections();
    expect([held?.status, others]).toEqual(['active', []]);
    expect(keys.open(held?.access_token as Buffer, `connection:${held?.id}:access`)).toMatch(/^access-\d+-subject-1$/);
    expect(await api.rows(`select state from backfill where tenant_id = $1 and state = 'running'`, [scope.tenantId])).toHaveLength(1);
    const events = await told();
    expect(events.map(({ type }) => type)).toEqual(Array.from({ length: 5 }, () => 'connection.created'));
    expect(new Set(events.map(({ revision }) => revision)).size).toBe(5);
  });

  it('two accounts for one user at once: one is kept, the other is owed back', async () => {
    const returns = [await agreed('person-1', 'subject-1'), await agreed('person-1', 'subject-2')];
    await Promise.all(returns.map((address) => api.call('GET', address)));
    expect(await connections()).toHaveLength(1);
    expect(await count('upstream_revocation')).toBe(1);
    const ends = await api.rows<{ result: string; code: string | null }>(
      'select end_is as result, end_code as code from connect_session where tenant_id = $1 order by 1',
      [scope.tenantId],
    );
    expect(ends).toEqual([
      { result: 'connected', code: null },
      { result: 'failed', code: 'subject_mismatch' },
    ]);
  });

  it('one account for two users at once: each has a connection of their own', async () => {
    const returns = [await agreed('person-1', 'subject-1'), await agreed('person-2', 'subject-1')];
    const replies = await Promise.all(returns.map((address) => api.call('GET', address)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const held = await connections();
    expect(new Set(held.map(({ user_id: user }) => user)).size).toBe(2);
    expect(await count('upstream_revocation')).toBe(0);
  });

  it.each(['consent', 'import'])('a person who is erased in the middle (%s) has no row afterwards', async (by) => {
    const { body: user } = await api.call('POST', '/v1/users', { key, body: { externalId: 'person-1' } });
    const first = await api.call('GET', await agreed('person-1', 'subject-1'));
    expect(first.status).toBe(200);
    await api.db.pool.query(`update connection set status = 'revoked', access_token = null, refresh_token = null where tenant_id = $1`, [
      scope.tenantId,
    ]);
    const back = by === 'consent' ? await agreed('person-1', 'subject-1') : undefined;
    const grant = {
      userExternalId: 'person-1',
      provider: 'oura',
      subjectId: 'subject-1',
      accessToken: 'of the customer',
      refreshToken: 'r',
    };
    // The provider is asked whose token it is, and the answer waits for the erasure.
    let erased: { status: number } | undefined;
    oura.before = async () => {
      erased = await api.call('DELETE', `/v1/users/${user.id}`, { key });
    };
    oura.tokens.set('of the customer', 'subject-1');
    const reply =
      back === undefined
        ? await api.call('POST', '/v1/connections/import', { key, body: { connections: [grant], verify: true } })
        : await api.call('GET', back);
    expect(erased?.status).toBe(200);
    if (by === 'consent') expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
    else expect([reply.status, reply.body.data[0]]).toEqual([200, expect.objectContaining({ status: 'refused' })]);
    for (const table of ['app_user', 'connection', 'fetch_window', 'backfill', 'connect_session'])
      expect([table, await count(table)]).toEqual([table, 0]);
    expect((await told()).map(({ type }) => type)).toEqual(['user.erased']);
    expect(await count('subject_tombstone')).toBeGreaterThan(0);
    // Only a consent of their own brings them back, as somebody new.
    const imported = await api.call('POST', '/v1/connections/import', { key, body: { connections: [grant], verify: false } });
    expect(imported.body.data[0]).toMatchObject({ status: 'refused', code: 'gone' });
    expect((await api.call('GET', await agreed('person-1', 'subject-1'))).status).toBe(200);
    const [now] = await connections();
    expect(now?.user_id).not.toBe(user.id);
  });

  it('an erasure while a backfill is asked for: whichever came first, nothing of them is left', async () => {
    for (let n = 0; n < 5; n += 1) {
      await api.call('GET', await agreed(`person-${n}`, `subject-${n}`));
      const [held] = await connections();
      await api.db.pool.query(`update backfill set state = 'cancelled', ended_at = now() where tenant_id = $1`, [scope.tenantId]);
      const [erased, begun, refreshed] = await Promise.all([
        api.call('DELETE', `/v1/users/${held?.user_id}`, { key }),
        api.call('POST', `/v1/connections/${held?.id}/backfills`, { key, body: { from: '2026-09-01' } }),
        api.call('POST', `/v1/connections/${held?.id}/refresh`, { key }),
      ]);
      expect(erased.status).toBe(200);
      expect([200, 201, 202, 404]).toContain(begun.status);
      expect([200, 202, 404]).toContain(refreshed.status);
      for (const table of ['app_user', 'connection', 'fetch_window', 'backfill', 'backfill_part'])
        expect([table, await count(table)]).toEqual([table, 0]);
    }
  });
});
