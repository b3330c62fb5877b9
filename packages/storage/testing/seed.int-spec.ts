import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from './clone-database.js';
import { Seed, TEST_KEYS } from './seed.js';

describe('Seed', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await cloneDatabase();
  });
  afterAll(async () => {
    await db.drop();
  });

  it('inserts a whole chain whose secrets open in the contexts of our processes', async () => {
    const keys = new KeyRing(TEST_KEYS);
    const seed = new Seed(db.pool, keys);
    const scope = await seed.environment();
    const app = await seed.app(scope);
    const user = await seed.user(scope, { externalId: 'runner-1' });
    const connection = await seed.connection(app, user);
    const endpoint = await seed.endpoint(scope);

    const {
      rows: [found],
    } = await db.pool.query(
      `
      select c.access_token, c.refresh_token, s.sealed as app_secret, v.sealed as token, e.sealed as endpoint_secret, r.last_revision, u.external_id
      from connection c
      join app_user u on (u.tenant_id, u.environment, u.id) = (c.tenant_id, c.environment, c.user_id)
      join provider_app_secret s on s.id = $2
      join provider_app_secret v on v.provider_app_id = c.provider_app_id and v.purpose = 'verification_token'
      join endpoint_secret e on e.id = $3
      join revision_counter r on (r.tenant_id, r.environment) = (c.tenant_id, c.environment)
      where c.id = $1`,
      [connection.id, app.clientSecretId, endpoint.secretId],
    );
    expect(keys.open(found.access_token, `connection:${connection.id}:access`)).toBe(connection.accessToken);
    expect(keys.open(found.refresh_token, `connection:${connection.id}:refresh`)).toBe(connection.refreshToken);
    expect(keys.open(found.app_secret, `provider_app_secret:${app.clientSecretId}`)).toBe(app.clientSecret);
    expect(keys.open(found.endpoint_secret, `endpoint_secret:${endpoint.secretId}`)).toBe(endpoint.secret);
    expect([found.last_revision, found.external_id]).toEqual([0, 'runner-1']);
  });

  it('puts a second environment beside the first, and refuses what the tables refuse', async () => {
    const seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
    const test = await seed.environment({ debounceMs: 5_000, maxWaitMs: 60_000 });
    const live = await seed.environment({ tenantId: test.tenantId, environment: 'live' });
    const { rows } = await db.pool.query('select environment, debounce_ms from environment where tenant_id = $1 order by 1', [
      test.tenantId,
    ]);
    expect(rows).toEqual([
      { environment: 'live', debounce_ms: 0 },
      { environment: 'test', debounce_ms: 5_000 },
    ]);
    await expect(seed.app(live, { sandbox: true })).rejects.toThrow(/check constraint/);
  });
});
