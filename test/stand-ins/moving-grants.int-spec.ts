// doubles: none; the API on a database of its own and the stand-ins, over HTTP.
// oracles: rows, and what the stand-in says that it was asked.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../apps/api/testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../packages/storage/testing/seed.js';
import { type ProviderServer, startProviders } from './provider-server.js';

const keys = new KeyRing(TEST_KEYS);

interface Tokens {
  accessToken: string;
  refreshToken: string;
  scopes: string[];
}

describe('grants that move in and out', () => {
  let providers: ProviderServer;
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  let clientId: string;

  beforeAll(async () => {
    providers = await startProviders();
    api = await startApi(keys, { TRIBUTARY_SANDBOX_URL: providers.url });
  });
  afterAll(async () => {
    await api.stop();
    await providers.stop();
  });
  beforeEach(async () => {
    await providers.control('DELETE', '/');
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
    clientId = `client-${randomUUID()}`;
    const client = { clientId, clientSecret: 'secret' };
    await providers.control('POST', '/apps', { ...client, redirectUris: ['http://api.example/connect/callback'] });
    await api.call('POST', '/v1/provider-apps', { key, body: { provider: 'oura', ...client, sandbox: true } });
    for (const subjectId of ['ada', 'ben', 'cid']) await providers.control('POST', '/people', { subjectId });
  });

  const grant = (subjectId: string, scopes = ['personal', 'daily']) =>
    providers.control<Tokens>('POST', `/people/${subjectId}/grants`, { clientId, scopes });
  const entry = (subjectId: string, { accessToken, refreshToken }: Pick<Tokens, 'accessToken' | 'refreshToken'>, more: object = {}) => ({
    userExternalId: `ext-${subjectId}`,
    provider: 'oura',
    subjectId,
    accessToken,
    refreshToken,
    scopes: ['personal', 'daily'],
    ...more,
  });
  const bring = (connections: object[], more: object = {}) =>
    api.call('POST', '/v1/connections/import', { key, body: { connections, ...more } });
  const connections = () =>
    api.rows<{ id: string; subject_id: string; status: string; scopes: string[]; access_token: Buffer; refresh_token: Buffer }>(
      'select id, subject_id, status, scopes, access_token, refresh_token from connection where tenant_id = $1 order by id',
      [scope.tenantId],
    );
  const tokens = (row: Awaited<ReturnType<typeof connections>>[number] | undefined) => ({
    accessToken: keys.open(row?.access_token as Buffer, `connection:${row?.id}:access`),
    refreshToken: keys.open(row?.refresh_token as Buffer, `connection:${row?.id}:refresh`),
  });
  const users = async () => (await api.rows('select 1 from app_user where tenant_id = $1', [scope.tenantId])).length;
  const told = async () => (await api.call('GET', '/v1/events?type=connection.created', { key })).body.data.length;

  it('an import is checked at the provider, sealed, read from, told, and changes nothing the second time', async () => {
    const given = await grant('ada');
    const { status, body } = await bring([entry('ada', given)]);
    expect([status, body.data]).toEqual([
      200,
      [
        {
          index: 0,
          status: 'created',
          userId: expect.stringMatching(/^usr_/),
          connectionId: expect.stringMatching(/^con_/),
          code: null,
          detail: null,
        },
      ],
    ]);
    const [row] = await connections();
    expect(row).toMatchObject({ id: body.data[0].connectionId, subject_id: 'ada', status: 'active', scopes: ['personal', 'daily'] });
    expect(tokens(row)).toEqual({ accessToken: given.accessToken, refreshToken: given.refreshToken });
    const windows = () => api.rows('select collection from fetch_window where tenant_id = $1 order by collection', [scope.tenantId]);
    const before = await windows();
    expect(before.length).toBeGreaterThan(3);
    expect(await told()).toBe(1);
    // Refreshed since: the copy that is sent again is worthless, and using it would end the grant.
    const calls = () => providers.control<Record<string, number>>('GET', '/calls');
    const callsBefore = await calls();
    expect((await bring([entry('ada', { accessToken: 'stale', refreshToken: 'stale' })])).body.data[0]).toMatchObject({
      status: 'unchanged',
      connectionId: row?.id,
    });
    expect(await calls()).toEqual(callsBefore);
    expect(await connections()).toEqual([row]);
    expect([await windows(), await told(), await users()]).toEqual([before, 1, 1]);
  });

  it('each entry succeeds or fails by itself, and one that fails leaves no row', async () => {
    const [ada, ben] = [await grant('ada'), await grant('ben')];
    const { body } = await bring([
      entry('ada', ada),
      entry('cid', ben),
      entry('ben', { accessToken: 'nobody', refreshToken: 'nobody' }),
      entry('ben', ben, { provider: 'whoop' }),
      entry('ben', ben, { userExternalId: 'ext-ada' }),
    ]);
    expect(body.data.map((one: { status: string; code: string | null }) => [one.status, one.code])).toEqual([
      ['created', null],
      ['refused', 'subject_mismatch'],
      ['refused', 'provider_refused'],
      ['refused', 'validation_failed'],
      ['refused', 'subject_mismatch'],
    ]);
    expect((await connections()).map(({ subject_id: subject }) => subject)).toEqual(['ada']);
    expect(await users()).toBe(1);
    expect(await api.rows('select 1 from upstream_revocation where tenant_id = $1', [scope.tenantId])).toEqual([]);
    expect(JSON.stringify(body)).not.toContain(ada.accessToken);
  });

  it('an access token that has run out is refreshed first, and the new pair is kept', async () => {
    const given = await grant('ada');
    expect((await bring([entry('ada', { accessToken: 'run-out', refreshToken: given.refreshToken })])).body.data[0].status).toBe('created');
    const kept = tokens((await connections())[0]);
    expect(kept.accessToken).not.toBe(given.accessToken);
    expect(kept.refreshToken).not.toBe(given.refreshToken);
    // The pair that is kept is the one that works.
    const reply = await providers.call('GET', '/oura/v2/usercollection/personal_info', undefined, {
      authorization: `Bearer ${kept.accessToken}`,
    });
    expect([reply.status, reply.body]).toEqual([200, expect.objectContaining({ id: 'ada' })]);
  });

  it('unverified entries are kept as they are said, without a call', async () => {
    const before = await providers.control('GET', '/calls');
    const expiresAt = '2027-01-02T03:04:05.000Z';
    const { body } = await bring([entry('ada', { accessToken: 'a', refreshToken: 'r' }, { expiresAt })], { verify: false });
    expect(body.data[0].status).toBe('created');
    expect(await providers.control('GET', '/calls')).toEqual(before);
    expect(tokens((await connections())[0])).toEqual({ accessToken: 'a', refreshToken: 'r' });
    const [row] = await api.rows<{ at: Date }>('select token_expires_at as at from connection where tenant_id = $1', [scope.tenantId]);
    expect(row?.at.toISOString()).toBe(expiresAt);
  });

  it('a person who was erased does not come back by an import, whatever their user is called', async () => {
    const given = await grant('ada');
    const { body } = await bring([entry('ada', given)]);
    expect((await api.call('DELETE', `/v1/users/${body.data[0].userId}`, { key })).status).toBe(200);
    const tombstones = () => api.rows('select subject_hash from subject_tombstone where tenant_id = $1', [scope.tenantId]);
    const before = await tombstones();
    expect(before).toHaveLength(1);
    for (const verify of [true, false]) {
      const again = await bring([entry('ada', await grant('ada'), { userExternalId: 'another-name' })], { verify });
      expect(again.body.data[0]).toMatchObject({ status: 'refused', code: 'gone', connectionId: null });
    }
    expect([await connections(), await users(), await tombstones()]).toEqual([[], 0, before]);
  });

  it('faulty batches are refused whole, by field', async () => {
    for (const [body, path] of [
      [{ connections: [] }, 'connections'],
      [{ connections: Array.from({ length: 101 }, () => entry('ada', { accessToken: 'a', refreshToken: 'r' })) }, 'connections'],
      [{ connections: [entry('ada', { accessToken: '', refreshToken: 'r' })] }, 'connections.0.accessToken'],
      [{ connections: [entry('ada', { accessToken: 'a', refreshToken: 'r' }, { more: 1 })] }, 'connections.0'],
    ] as const) {
      const reply = await api.call('POST', '/v1/connections/import', { key, body });
      expect([path, reply.status, reply.body.faults?.[0]?.path]).toEqual([path, 422, expect.stringMatching(`^${path}`)]);
    }
    expect(await connections()).toEqual([]);
  });

  it('an export gives every grant away, page by page, and each is written down', async () => {
    const given = new Map<string, Tokens>();
    for (const subject of ['ada', 'ben', 'cid']) given.set(subject, await grant(subject));
    await bring([...given].map(([subject, pair]) => entry(subject, pair)));
    const ids = (await connections()).map(({ id }) => id);
    await api.call('DELETE', `/v1/connections/${ids[2]}`, { key });
    const leave = (body: object) => api.call('POST', '/v1/connections/export', { key, body });
    const first = await leave({ limit: 1 });
    expect(first.headers.get('cache-control')).toBe('no-store');
    const second = await leave({ limit: 1, cursor: first.body.nextCursor });
    expect(second.body.nextCursor).toBeNull();
    const all = [...first.body.data, ...second.body.data];
    expect(all).toEqual(
      ['ada', 'ben'].map((subject, n) => ({
        connectionId: ids[n],
        userExternalId: `ext-${subject}`,
        provider: 'oura',
        clientId,
        subjectId: subject,
        status: 'active',
        scopes: ['personal', 'daily'],
        accessToken: given.get(subject)?.accessToken,
        refreshToken: given.get(subject)?.refreshToken,
        expiresAt: expect.any(String),
      })),
    );
    const audit = await api.rows<{ target: string }>(
      `select target from audit_log where tenant_id = $1 and action = 'connection.export' order by target`,
      [scope.tenantId],
    );
    expect(audit.map(({ target }) => target)).toEqual(ids.slice(0, 2));
    expect((await leave({ limit: 1, cursor: `${first.body.nextCursor as string}AA` })).body.code).toBe('malformed_request');
    // A key that may do all else with connections was not made for this.
    const narrow = await api.key(scope);
    await api.db.pool.query(`update api_key set scopes = '{connections:write,users:write}' where id = $1`, [narrow.id]);
    const forbidden = await api.call('POST', '/v1/connections/export', { key: narrow.key, body: {} });
    expect([forbidden.status, forbidden.body.code, forbidden.body.detail]).toEqual([
      403,
      'forbidden',
      expect.stringContaining('grants:read'),
    ]);
    // Another tenant's key shows nothing of it.
    const stranger = await api.key(await api.seed.environment());
    expect((await api.call('POST', '/v1/connections/export', { key: stranger.key, body: {} })).body).toEqual({
      data: [],
      nextCursor: null,
    });
    expect(
      (await api.call('POST', '/v1/connections/export', { key: stranger.key, body: { cursor: first.body.nextCursor } })).body.code,
    ).toBe('malformed_request');
  });
});
