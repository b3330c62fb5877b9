// doubles: none but the provider: the sandbox over real HTTP. The worker's parts without a queue.
// oracles: rows, events.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkerContext } from '../../apps/worker/src/worker-context.js';
import { type Person, Workbench } from '../../apps/worker/testing/workbench.js';
import { type ProviderServer, startProviders } from './provider-server.js';

let bench: Workbench;
let providers: ProviderServer;
let context: WorkerContext;
let control: ProviderServer['control'];
beforeAll(async () => {
  [bench, providers] = await Promise.all([Workbench.open(), startProviders()]);
  control = providers.controlOf('google');
  context = bench.contextWith({ sandboxUrl: providers.url });
});
afterAll(async () => {
  await providers.stop();
  await bench.close();
});

const redirectUri = 'http://127.0.0.1:9/callback';
const at = { startUtcOffset: '7200s', endUtcOffset: '7200s' };
const span = (from: string, to: string) => ({ startTime: `2026-09-14T${from}Z`, endTime: `2026-09-14T${to}Z`, ...at });
const runs = { early: span('06:00:00', '06:30:00'), late: span('16:10:00', '16:41:04') };

/** Somebody with a true grant at the stand-in. */
async function runner(subjectId: string): Promise<Person> {
  await control('POST', '/apps', { clientId: `app-${subjectId}`, clientSecret: 'secret-1', redirectUris: [redirectUri] });
  await control('POST', '/people', { subjectId });
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: `app-${subjectId}`,
    redirect_uri: redirectUri,
    scope: context.providers.get('google')?.oauth.scopes.join(' ') ?? '',
    state: 's',
    person: subjectId,
  });
  const back = new URL((await providers.call('GET', `/google/o/oauth2/v2/auth?${query}`)).headers.get('location') ?? '');
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: back.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    client_id: `app-${subjectId}`,
    client_secret: 'secret-1',
  });
  const { body } = await providers.call<{ access_token: string }>('POST', '/google/token', form);
  const scope = await bench.seed.environment({ debounceMs: 0, maxWaitMs: 0 });
  const app = await bench.seed.app(scope, { provider: 'google', sandbox: true });
  const user = await bench.seed.user(scope);
  const connection = await bench.seed.connection(app, user, {
    subjectId,
    accessToken: body.access_token,
    scopes: [...(context.providers.get('google')?.oauth.scopes ?? [])],
  });
  return { scope, app, user, connection, endpoint: await bench.seed.endpoint(scope) };
}

let told = 0;
/** A notification as ingest leaves it. */
async function notice({ connection }: Person, collection: string, kind: 'changed' | 'deleted', window: readonly [string, string, string]) {
  told += 1;
  await bench.db.pool.query(
    `insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, collection, kind, window_kind,
       window_start, window_end, received_at)
     values ($1, $2, $3, md5($4)::uuid, 0, $5, $6, $7, $8, $9, $10, clock_timestamp())`,
    [connection.tenantId, connection.environment, connection.providerAppId, `told-${told}`, connection.id, collection, kind, ...window],
  );
}

async function work(person: Person): Promise<void> {
  await bench.resolve(person);
  await bench.makeDue(person);
  await bench.fetch(person, context);
}

const instants = ({ startTime, endTime }: { startTime: string; endTime: string }) =>
  ['instants', new Date(startTime).toISOString(), new Date(endTime).toISOString()] as const;
const sessions = (person: Person) =>
  bench.rows('select record_id, deleted, delete_reason from session_record where tenant_id = $1 order by record_id', person);
const typesOf = async (person: Person) => (await bench.events(person)).map(({ type }) => type);

describe('a deletion that names a span', () => {
  it('takes what is not shown there any more, at once, and leaves the rest', async () => {
    const person = await runner('72000000000000000001');
    const put = (id: string, interval: object) =>
      control('PUT', `/people/72000000000000000001/documents/exercise/${id}`, { interval, exerciseType: 'RUNNING' });
    await put('early', runs.early);
    await put('late', runs.late);
    await notice(person, 'exercise', 'changed', ['instants', '2026-09-14T00:00:00.000Z', '2026-09-15T00:00:00.000Z']);
    await work(person);
    expect(await sessions(person)).toMatchObject([
      { record_id: 'early', deleted: false },
      { record_id: 'late', deleted: false },
    ]);

    await control('DELETE', '/people/72000000000000000001/documents/exercise/late');
    await notice(person, 'exercise', 'deleted', instants(runs.late));
    await work(person);
    expect(await sessions(person)).toMatchObject([
      { record_id: 'early', deleted: false },
      { record_id: 'late', deleted: true, delete_reason: 'provider_deleted' },
    ]);
    expect(await typesOf(person)).toEqual(['workout.updated', 'workout.updated', 'record.deleted']);

    // Told again, and told of what is there still: nothing more goes.
    await notice(person, 'exercise', 'deleted', instants(runs.late));
    await notice(person, 'exercise', 'deleted', instants(runs.early));
    await work(person);
    expect(await typesOf(person)).toHaveLength(3);
  });

  it('takes the last that there was, though an answer of nothing alone says nothing', async () => {
    const person = await runner('72000000000000000002');
    const path = '/people/72000000000000000002/documents/weight/w1';
    await control('PUT', path, { sampleTime: { physicalTime: '2026-09-14T06:00:00Z', utcOffset: '7200s' }, weightGrams: 72_500 });
    const weighed = ['instants', '2026-09-14T06:00:00.000Z', '2026-09-14T06:00:00.001Z'] as const;
    await notice(person, 'weight', 'changed', weighed);
    await work(person);
    await control('DELETE', path);
    await notice(person, 'weight', 'changed', weighed);
    await work(person);
    const weights = () => bench.rows('select deleted, delete_reason from measurement_record where tenant_id = $1', person);
    expect(await weights()).toEqual([{ deleted: false, delete_reason: null }]);
    await notice(person, 'weight', 'deleted', weighed);
    await work(person);
    expect(await weights()).toEqual([{ deleted: true, delete_reason: 'provider_deleted' }]);
  });

  it('of days takes the values of the days, and nothing when the read is not whole', async () => {
    const person = await runner('72000000000000000003');
    const path = '/people/72000000000000000003/documents/distance/2026-09-14';
    await control('PUT', path, { millimetersSum: '3146500' });
    const day = ['days', '2026-09-14', '2026-09-15'] as const;
    await notice(person, 'distance', 'changed', day);
    await work(person);
    expect(await bench.value(person, 'distance')).toBe(3_146.5);

    await control('PUT', path, { millimetersSum: 'far' });
    await notice(person, 'distance', 'deleted', day);
    await work(person);
    expect(await bench.value(person, 'distance')).toBe(3_146.5);

    await control('DELETE', path);
    await notice(person, 'distance', 'deleted', day);
    await work(person);
    expect(await bench.value(person, 'distance')).toBeUndefined();
    expect(await typesOf(person)).toEqual(['daily.updated', 'record.deleted']);
  });
});
