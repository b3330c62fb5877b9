// doubles: none but the provider: the sandbox over real HTTP. Ingest runs as it does in production; the worker's parts without a queue.
// oracles: rows, events, what the stand-in was asked.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addDays } from '@tributary/domain';
import { type RunningIngest, startIngest } from '../../apps/ingest/testing/start-ingest.js';
import type { WorkerContext } from '../../apps/worker/src/worker-context.js';
import { type Person, Workbench } from '../../apps/worker/testing/workbench.js';
import { type ProviderServer, startProviders } from './provider-server.js';

const subjectId = '3f0c1d52-77aa-4c1e-9d4b-0a55c2e1b901';
const day = addDays(new Date().toISOString().slice(0, 10), -1);
const startS = Date.parse(`${day}T00:00:00Z`) / 1000;

let bench: Workbench;
let providers: ProviderServer;
let ingest: RunningIngest;
let context: WorkerContext;
let control: ProviderServer['control'];
beforeAll(async () => {
  [bench, providers] = await Promise.all([Workbench.open(), startProviders()]);
  ingest = await startIngest(bench.db.url, { TRIBUTARY_SANDBOX_URL: providers.url });
  control = providers.controlOf('garmin');
  context = bench.contextWith({ sandboxUrl: providers.url });
});
afterAll(async () => {
  await ingest.close();
  await providers.stop();
  await bench.close();
});

/** Somebody at Garmin whose day and run we hold. */
async function connected() {
  await control('DELETE', '/');
  const scope = await bench.seed.environment();
  const app = await bench.seed.app(scope, { provider: 'garmin' });
  const { clientId, clientSecret } = app;
  const callbackUrl = `${ingest.origin}/in/garmin/${app.appKey}`;
  await control('POST', '/apps', { clientId, clientSecret, redirectUris: ['http://127.0.0.1:9/back'], callbackUrl });
  await control('POST', '/people', { subjectId });
  const grantOf = (scopes?: readonly string[]) =>
    control<{ accessToken: string; refreshToken: string; scopes: string[] }>('POST', `/people/${subjectId}/grants`, {
      clientId,
      ...(scopes && { scopes }),
    });
  const connection = await bench.seed.connection(app, await bench.seed.user(scope), { subjectId, ...(await grantOf()) });
  const person: Person = {
    scope,
    app,
    user: { ...scope, id: connection.userId, externalId: '' },
    connection,
    endpoint: await bench.seed.endpoint(scope),
  };
  const put = (type: string, id: string, summary: object) =>
    control('PUT', `/people/${subjectId}/documents/${type}/${id}?notify=true`, {
      startTimeInSeconds: startS,
      startTimeOffsetInSeconds: 0,
      ...summary,
    });
  const work = async () => {
    await bench.resolve(person);
    for (let n = 0; n < 4; n += 1) {
      await bench.makeDue(person);
      await bench.fetch(person, context);
    }
  };
  await put('dailies', 'd1', { calendarDate: day, durationInSeconds: 86_400, steps: 8_431 });
  await put('activities', 'a1', { activityId: 71, activityType: 'RUNNING', durationInSeconds: 2_400 });
  await work();
  return {
    person,
    put,
    work,
    /** What they tick at Garmin: from now on its token may do so much. */
    async permit(permissions: readonly string[]) {
      const { accessToken } = await grantOf(permissions);
      await bench.db.pool.query('update connection set access_token = $2 where id = $1', [
        connection.id,
        bench.keys.seal(accessToken, `connection:${connection.id}:access`),
      ]);
    },
    /** Garmin's notice, or anybody's. */
    say: (permissions: readonly string[]) =>
      ingest.send(`/in/garmin/${app.appKey}`, {
        headers: { 'content-type': 'application/json', 'garmin-client-id': clientId },
        body: JSON.stringify({
          userPermissionsChange: [{ userId: subjectId, summaryId: 'x', permissions, changeTimeInSeconds: startS + permissions.length }],
        }),
      }),
    shown: async () => {
      const daily = (await bench.daily(person)).filter((row) => row['deleted'] === false).map((row) => row['metric']);
      const sessions = await bench.rows('select kind from session_record where tenant_id = $1 and not deleted', person);
      return { steps: daily.includes('steps'), workout: sessions.length === 1 };
    },
    told: async () => (await bench.events(person)).map(({ type, data }) => [type, data['reason'] ?? data['scopes'] ?? data['change']]),
    reads: async () => JSON.stringify(await control('GET', '/calls')),
  };
}

describe('C080 a person unticks health at Garmin', () => {
  it('its rows are hidden, its windows wait without a call, the rest goes on; ticked again, it is there as it was', async () => {
    const who = await connected();
    expect(await who.shown()).toEqual({ steps: true, workout: true });
    const before = (await who.told()).length;
    await who.permit(['ACTIVITY_EXPORT']);
    expect((await who.say(['ACTIVITY_EXPORT'])).status).toBe(200);
    await who.work();
    expect(await who.shown()).toEqual({ steps: false, workout: true });
    const told = (await who.told()).slice(before);
    expect(told.at(-1)).toEqual(['connection.updated', ['ACTIVITY_EXPORT']]);
    expect(new Set(told.slice(0, -1).map(String))).toEqual(new Set(['record.deleted,permission_revoked']));
    expect(await bench.rows('select scopes, status from connection where tenant_id = $1', who.person)).toEqual([
      { scopes: ['ACTIVITY_EXPORT'], status: 'active' },
    ]);

    // A summary that was on its way is not asked for.
    await who.put('dailies', 'd2', { calendarDate: day, durationInSeconds: 86_400, steps: 9_000 });
    const reads = await who.reads();
    await who.work();
    expect(await who.reads()).toBe(reads);
    expect(await bench.letters(who.person)).toEqual([]);
    expect(await who.shown()).toEqual({ steps: false, workout: true });

    await who.permit(['ACTIVITY_EXPORT', 'HEALTH_EXPORT']);
    await who.say(['ACTIVITY_EXPORT', 'HEALTH_EXPORT']);
    await who.work();
    expect(await who.shown()).toEqual({ steps: true, workout: true });
    expect((await who.told()).filter(([type]) => type === 'connection.updated').at(-1)?.[1]).toEqual(['ACTIVITY_EXPORT', 'HEALTH_EXPORT']);
    // And what waited is read now.
    expect(await bench.value(who.person)).toBe(9_000);
  });

  it('and has not, though anybody who knows the address may say so', async () => {
    const who = await connected();
    const before = await who.told();
    expect((await who.say([])).status).toBe(200);
    await who.work();
    expect(await who.shown()).toEqual({ steps: true, workout: true });
    expect(await who.told()).toEqual(before);
  });
});
