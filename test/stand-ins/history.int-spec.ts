// doubles: none but the provider: the sandbox over real HTTP. Ingest runs as it does in production; the worker's parts without a queue.
// oracles: the stand-in's own truth, rows, events, what the stand-in was asked.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addDays } from '@tributary/domain';
import { type Provider, findProvider, historyParts, sweptCollections } from '@tributary/providers';
import { findBackfill, findConnection, inTransaction, insertBackfill, openBackfillWindows, planSweeps } from '@tributary/storage';
import { type RunningIngest, startIngest } from '../../apps/ingest/testing/start-ingest.js';
import { tendBackfills } from '../../apps/worker/src/backfill-upkeep.js';
import type { WorkerContext } from '../../apps/worker/src/worker-context.js';
import { type Person, Workbench } from '../../apps/worker/testing/workbench.js';
import { type ProviderServer, startProviders } from './provider-server.js';

const oura = findProvider('oura') as Provider;
const today = new Date().toISOString().slice(0, 10);
const ID = 'bf_history';

let bench: Workbench;
let providers: ProviderServer;
let ingest: RunningIngest;
let context: WorkerContext;
let person: Person;
let control: ProviderServer['control'];
beforeAll(async () => {
  [bench, providers] = await Promise.all([Workbench.open(), startProviders()]);
  ingest = await startIngest(bench.db.url, { TRIBUTARY_SANDBOX_URL: providers.url });
  control = providers.controlOf('oura');
  context = bench.contextWith({ sandboxUrl: providers.url });
});
afterAll(async () => {
  await ingest.close();
  await providers.stop();
  await bench.close();
});
beforeEach(async () => {
  await control('DELETE', '/');
  const scope = await bench.seed.environment();
  const app = await bench.seed.app(scope);
  await control('POST', '/apps', { clientId: app.clientId, clientSecret: app.clientSecret, redirectUris: ['http://127.0.0.1:9/back'] });
  await control('POST', '/people', { subjectId: 'ada' });
  const grant = await control<{ accessToken: string; refreshToken: string }>('POST', '/people/ada/grants', { clientId: app.clientId });
  const user = await bench.seed.user(scope);
  const scopes = [...oura.oauth.scopes];
  const connection = await bench.seed.connection(app, user, { subjectId: 'ada', ...grant, scopes });
  person = { scope, app, user, connection, endpoint: await bench.seed.endpoint(scope) };
  const base = `${providers.url}/oura`;
  await oura.subscriptions.ensure(context.http, {
    origins: { api: base, authorize: base, token: base },
    client: { clientId: app.clientId, clientSecret: app.clientSecret },
    callbackUrl: `${ingest.origin}/in/oura/${app.appKey}`,
    verificationToken: app.verificationToken,
    now: Date.now(),
  });
});

/** The person walked so much on that day; the stand-in tells of it as its faults let it. */
const walked = (day: string, steps: number) =>
  control('PUT', `/people/ada/documents/daily_activity/act-${day}?notify=true`, { day, timestamp: `${day}T04:00:00+00:00`, steps });

const deliveries = () => bench.rows('select 1 from webhook_delivery where tenant_id = $1', person);
const steps = async () =>
  (await bench.daily(person))
    .filter((row) => row['metric'] === 'steps' && row['deleted'] === false)
    .map((row): [unknown, unknown] => [row['local_date'], row['value']])
    .sort();

async function work(): Promise<void> {
  await bench.resolve(person);
  for (let n = 0; n < 60; n += 1) {
    await bench.makeDue(person);
    await bench.fetch(person, context);
    if ((await bench.rows(`select 1 from fetch_window where tenant_id = $1 and state in ('waiting', 'fetching')`, person)).length === 0)
      return;
  }
}

async function sweep(): Promise<void> {
  const asked = sweptCollections(oura).map((collection) => {
    const { scope, spanDays } = oura.collections[collection] ?? {};
    return { provider: 'oura', collection, scope, spanDays };
  });
  await bench.db.pool.query('update connection set next_sweep_at = now() where id = $1', [person.connection.id]);
  await planSweeps(bench.db.pool, asked, 10);
  await work();
}

describe('a webhook that never came', () => {
  it('is found by the sweep, and only what it hid is told', async () => {
    await walked(today, 2_100);
    expect(await deliveries()).toHaveLength(1);
    await work();
    expect(await steps()).toEqual([[today, 2_100]]);
    const told = (await bench.events(person)).length;
    await control('PUT', '/faults', { dropWebhooks: true });
    await walked(today, 8_431);
    await walked(addDays(today, -1), 5_000);
    expect(await deliveries()).toHaveLength(1);
    await work();
    expect(await steps()).toEqual([[today, 2_100]]);
    await sweep();
    expect(await steps()).toEqual([
      [addDays(today, -1), 5_000],
      [today, 8_431],
    ]);
    const news = (await bench.events(person)).slice(told).filter(({ data }) => data['metric'] === 'steps');
    expect(news.map(({ data }) => [data['localDate'], data['change']]).sort()).toEqual([
      [addDays(today, -1), 'created'],
      [today, 'updated'],
    ]);
    const all = (await bench.events(person)).length;
    await sweep();
    expect(await bench.events(person)).toHaveLength(all);
  });

  it('shows on the connection: what was swept and when', async () => {
    expect((await findConnection(bench.db.pool, person.scope, person.connection.id))?.sweeps).toEqual([]);
    await sweep();
    const shown = await findConnection(bench.db.pool, person.scope, person.connection.id);
    expect(shown?.sweeps.map(({ collection }) => collection)).toEqual(sweptCollections(oura).sort());
    expect(Date.now() - Date.parse(shown?.sweeps[0]?.lastSweptAt ?? '')).toBeLessThan(60_000);
    expect(shown?.nextSweepAt?.getTime()).toBeGreaterThan(Date.now() + 3_600_000);
  });

  it('is not found while the provider fails, and the sweep is not shown as done', async () => {
    await control('PUT', '/faults', { dropWebhooks: true, failReads: { status: 500, times: 1_000 } });
    await walked(today, 700);
    await bench.db.pool.query('update connection set next_sweep_at = now() where id = $1', [person.connection.id]);
    await planSweeps(bench.db.pool, [{ provider: 'oura', collection: 'daily_activity', scope: 'daily', spanDays: undefined }], 10);
    await bench.fetch(person, context);
    expect((await findConnection(bench.db.pool, person.scope, person.connection.id))?.sweeps).toEqual([]);
    await control('DELETE', '/faults');
    await work();
    expect(await steps()).toEqual([[today, 700]]);
    expect((await findConnection(bench.db.pool, person.scope, person.connection.id))?.sweeps).toHaveLength(1);
  });
});

describe('a past of which nobody told us', () => {
  it('is read by a backfill to the last day, though reads fail, pages are short and the person goes on walking', async () => {
    await control('PUT', '/faults', { dropWebhooks: true });
    const truth = new Map<string, number>();
    for (let n = 0; n < 75; n += 1) {
      const day = addDays(today, -n);
      truth.set(day, 1_000 + n);
      await walked(day, 1_000 + n);
    }
    await control('PUT', '/faults', { pageSize: 4, failReads: { status: 503, times: 3 }, dropWebhooks: false });
    const { tenantId, environment, id: connectionId, userId, provider } = person.connection;
    const [from, to] = [addDays(today, -74), addDays(today, 2)];
    await inTransaction(bench.db.pool, async (client) => {
      const parts = historyParts(oura.collections, { scopes: oura.oauth.scopes, from, to, today });
      const backfill = { tenantId, environment, id: ID, userId, connectionId, provider, cause: 'consent', from, to } as const;
      await insertBackfill(client, backfill, parts);
      await openBackfillWindows(client, person.scope, ID);
    });
    await bench.fetch(person, context);
    // In the middle of it a day changes and is told: live.
    await walked(today, 7_777);
    truth.set(today, 7_777);
    expect(await deliveries()).toHaveLength(1);
    await work();
    await tendBackfills(context);
    expect(await steps()).toEqual([...truth].sort());
    const backfill = await findBackfill(bench.db.pool, person.scope, ID);
    expect(backfill?.state).toBe('completed');
    expect(new Set(backfill?.parts.map(({ state }) => state))).toEqual(new Set(['done']));
    expect(backfill?.parts.find(({ collection }) => collection === 'daily_activity')).toMatchObject({
      days: 76,
      daysDone: 76,
      daysFailed: 0,
    });
    expect((await bench.events(person)).filter(({ type }) => type === 'backfill.completed')).toHaveLength(1);
    expect(await bench.letters(person)).toEqual([]);
    // No webhook and no window is left over.
    expect(await bench.rows(`select 1 from fetch_window where tenant_id = $1 and backfill_id is not null`, person)).toEqual([]);
  });
});
