import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type Samples, bodyOf, committedRoutes, fillPath, makeSamples } from '../../testing/route-samples.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

/** What reads although it sends a body. */
const READS = new Set(['POST /v1/records/batch']);
/** What has to reach a provider to come to anything, and here reaches none. */
const NEEDS_PROVIDER = new Set([
  'POST /v1/provider-apps/{id}/subscriptions',
  'POST /v1/provider-apps/{id}/test',
  'POST /v1/connections/demo',
]);
/** What the sample has to be for the change to be one. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  'DELETE /v1/provider-apps/{id}': ['delete from connection where tenant_id = $1'],
  'DELETE /v1/source-priorities/{metric}': [
    `insert into source_priority (tenant_id, environment, metric, entries) values ($1, 'test', 'steps', '[]')`,
  ],
  'DELETE /v1/users/{id}/source-priorities/{metric}': [
    `insert into source_priority (tenant_id, environment, metric, user_id, entries)
     select $1, 'test', 'steps', id, '[]' from app_user where tenant_id = $1`,
  ],
  'POST /v1/connections/{id}/backfills': [`update backfill set state = 'cancelled', ended_at = now() where tenant_id = $1`],
};

describe('every route that changes something', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let samples: Samples;

  beforeAll(async () => {
    // Named, and never there: consents begin without asking it.
    api = await startApi(new KeyRing(TEST_KEYS), { TRIBUTARY_SANDBOX_URL: 'http://127.0.0.1:9' });
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    samples = await makeSamples(api, scope);
  });

  const changing = committedRoutes().filter(({ method, name }) => method !== 'GET' && !READS.has(name) && !NEEDS_PROVIDER.has(name));

  it.each(changing)('$name is in the audit log: by which key, in which request', async (route) => {
    for (const statement of BEFORE[route.name] ?? []) await api.db.pool.query(statement, [scope.tenantId]);
    const body = bodyOf(route, samples);
    const reply = await api.call(route.method, fillPath(route, samples), { key: samples.key, ...(body && { body }) });
    expect([route.name, reply.status < 300, reply.body]).toEqual([route.name, true, reply.body]);
    const requestId = reply.headers.get('x-request-id');
    const entries = await api.rows<{ actor: string; action: string }>(
      'select actor, action from audit_log where tenant_id = $1 and request_id = $2',
      [scope.tenantId, requestId],
    );
    expect([route.name, entries.length > 0]).toEqual([route.name, true]);
    for (const { actor, action } of entries) {
      expect(actor).toBe(samples.ids['api-keys']);
      expect(action).toMatch(/^[a-z_]+\.[a-z_]+$/);
    }
  });

  it('names no route that is gone', () => {
    const names = new Set(committedRoutes().map(({ name }) => name));
    expect([...READS, ...NEEDS_PROVIDER, ...Object.keys(BEFORE)].filter((name) => !names.has(name))).toEqual([]);
  });
});
