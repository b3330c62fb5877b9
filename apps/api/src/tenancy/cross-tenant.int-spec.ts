import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { MARK, type Samples, bodyOf, committedRoutes, fillPath, makeSamples, queriesOf, routesOf } from '../../testing/route-samples.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

const routes = committedRoutes();
/** Paths that name a thing of a tenant; a metric is nobody's. */
const namesAThing = (path: string) => /\{(?!metric\})/.test(path);

describe('every route, with the key of another tenant and the ids of the first', () => {
  let api: RunningApi;
  let first: SeededEnvironment;
  let samples: Samples;
  let stranger: string;
  let tables: string[];

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    first = await api.seed.environment();
    samples = await makeSamples(api, first);
    ({ key: stranger } = await api.key(await api.seed.environment()));
    tables = (
      await api.rows<{ name: string }>(
        `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
      )
    ).map(({ name }) => name);
  });
  afterAll(() => api.stop());

  /** All that the first tenant has, as one hash for each table; when its keys were used last is noted on the side. */
  const held = async () => {
    const digest = (table: string) =>
      `select '${table}' as name, count(*)::int as rows, md5(coalesce(string_agg(t.text, '|' order by t.text), '')) as hash
       from (select (to_jsonb(x) - 'last_used_at')::text as text from ${table} x where tenant_id = $1) t`;
    return api.rows<{ name: string; rows: number; hash: string }>(tables.map(digest).join(' union all '), [first.tenantId]);
  };

  it('walks what the code has, and the samples are there', async () => {
    const { body } = await api.call('GET', '/openapi.json');
    expect(routes.map(({ name }) => name).sort()).toEqual(
      routesOf(body)
        .map(({ name }) => name)
        .sort(),
    );
    expect(routes.length).toBeGreaterThan(60);
    expect((await held()).filter(({ rows }) => rows > 0).length).toBeGreaterThan(12);
  });

  it.each(routes.filter(({ method }) => method === 'GET'))('$name shows its own tenant what is there', async (route) => {
    const [query] = queriesOf(route, samples);
    const { status } = await api.call('GET', `${fillPath(route, samples)}?${query}`, { key: samples.key });
    // An explanation needs the event of a record, and a link its revision: these samples have a row alone.
    if (/records\/(explain|revision)/.test(route.path)) expect([200, 404, 410]).toContain(status);
    else expect(status).toBe(200);
  });

  it.each(routes)('$name', async (route) => {
    const before = await held();
    const body = bodyOf(route, samples);
    const path = fillPath(route, samples);
    for (const query of queriesOf(route, samples)) {
      const reply = await api.call(route.method, query === '' ? path : `${path}?${query}`, { key: stranger, ...(body && { body }) });
      const told = JSON.stringify(reply.body ?? '');
      if (namesAThing(route.path)) expect([route.name, reply.status, reply.body?.code]).toEqual([route.name, 404, 'not_found']);
      // A collection of the stranger's own, which holds nothing; or a wish that comes to nothing, since what it names is not theirs.
      else
        expect([route.name, query, [200, 201, 202, 204, 404, 409].includes(reply.status), reply.status]).toEqual([
          route.name,
          query,
          true,
          reply.status,
        ]);
      const sent = `${path}?${query}${JSON.stringify(body ?? '')}`;
      for (const known of [...Object.values(samples.ids), samples.named['secretId'] as string, MARK, first.tenantId]) {
        if (!sent.includes(known)) expect([route.name, query, told.includes(known) && known]).toEqual([route.name, query, false]);
      }
    }
    expect(await held()).toEqual(before);
  });
});
