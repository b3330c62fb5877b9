// doubles: none but the providers: the sandbox over real HTTP. Ingest runs as it does in production; the worker's parts without a queue.
// oracles: rows, events with their deliveries, what the stand-ins hold and were asked.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Provider, ProviderUnreachable, findProvider, sweptCollections } from '@tributary/providers';
import { createProviderHttp } from '@tributary/service-shell';
import { resumeWindows, saveConnection } from '@tributary/storage';
import { type RunningIngest, startIngest } from '../../apps/ingest/testing/start-ingest.js';
import type { WorkerContext } from '../../apps/worker/src/worker-context.js';
import { type Person, Workbench } from '../../apps/worker/testing/workbench.js';
import { type ProviderServer, startProviders } from './provider-server.js';

let bench: Workbench;
let providers: ProviderServer;
let ingest: RunningIngest;
let context: WorkerContext;
beforeAll(async () => {
  [bench, providers] = await Promise.all([Workbench.open(), startProviders()]);
  ingest = await startIngest(bench.db.url, { TRIBUTARY_SANDBOX_URL: providers.url });
  context = bench.contextWith({
    sandboxUrl: providers.url,
    publicIngestUrl: ingest.origin,
    http: createProviderHttp({
      allowedOrigins: new Set([providers.url]),
      deadlineMs: 2_000,
      maxReplyBytes: 1_000_000,
      unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
    }),
  });
});
afterAll(async () => {
  await ingest.close();
  await providers.stop();
  await bench.close();
});

const subjects: Readonly<Record<string, string>> = { garmin: '3f0c1d52-77aa-4c1e-9d4b-0a55c2e1b901', google: 'hU-9Qx2k' };

/** Somebody who is connected at both ends, with a window of data to read, and how the provider and they go on. */
async function connected(id: string) {
  const provider = findProvider(id) as Provider;
  const control = providers.controlOf(id);
  await control('DELETE', '/');
  const subjectId = subjects[id] ?? '38291047';
  const scope = await bench.seed.environment();
  const app = await bench.seed.app(scope, { provider: id });
  const callbackUrl = `${ingest.origin}/in/${id}/${app.appKey}`;
  const client = { clientId: app.clientId, clientSecret: app.clientSecret };
  const address = id === 'garmin' || id === 'whoop' ? { callbackUrl } : {};
  await control('POST', '/apps', { ...client, redirectUris: ['http://127.0.0.1:9/back'], ...address });
  await control('POST', '/people', { subjectId });
  const { accessToken, refreshToken, scopes } = await control<{ accessToken: string; refreshToken: string; scopes: string[] }>(
    'POST',
    `/people/${subjectId}/grants`,
    { clientId: app.clientId },
  );
  const user = await bench.seed.user(scope);
  const connection = await bench.seed.connection(app, user, { subjectId, accessToken, refreshToken, scopes });
  const endpoint = await bench.seed.endpoint(scope);
  const person: Person = { scope, app, user, connection, endpoint };
  // Polar gives none.
  if (id === 'polar') await bench.db.pool.query('update connection set refresh_token = null where id = $1', [connection.id]);
  const base = `${providers.url}/${id}`;
  const origins = { api: base, authorize: base, token: base };
  if (id === 'strava') {
    const asked = { origins, client, callbackUrl, verificationToken: app.verificationToken, now: Date.now() };
    expect(await provider.subscriptions.ensure(context.http, asked)).toMatchObject({ created: 1 });
  }
  await provider.subscriptions.ensureForPerson?.(context.http, { origins, accessToken, callbackUrl });
  // Garmin reads nothing unasked: as if a summary of these days had been told.
  const [collection = 'dailies'] = sweptCollections(provider).filter((name) => name !== 'grant');
  await bench.window(person, { collection, from: '2026-11-28', to: '2026-11-30', priority: 2 });
  return {
    person,
    control,
    accessToken,
    origins,
    /** What the person does at the provider, where nobody is told by it. */
    withdraw: () => control('DELETE', `/people/${subjectId}/grants`),
    post: (body: string, headers: Record<string, string>) => ingest.send(`/in/${id}/${app.appKey}`, { headers, body }),
    /** Consents anew: what a consent does here to the connection that exists. */
    async comeBack() {
      const grant = await control<{ accessToken: string; refreshToken: string }>('POST', `/people/${subjectId}/grants`, {
        clientId: app.clientId,
      });
      const sealed = (text: string, as: string) => bench.keys.seal(text, `connection:${connection.id}:${as}`);
      const { tenantId, environment } = scope;
      await saveConnection(bench.db.pool, {
        tenantId,
        environment,
        id: connection.id,
        userId: user.id,
        provider: id,
        providerAppId: app.id,
        subjectId,
        accessToken: sealed(grant.accessToken, 'access'),
        refreshToken: sealed(grant.refreshToken, 'refresh'),
        tokenExpiresAt: new Date(Date.now() + 3_600_000),
        scopes,
      });
      await resumeWindows(bench.db.pool, scope, connection.id);
    },
    /** Until nothing more is due. */
    async work() {
      await bench.resolve(person);
      for (let n = 0; n < 5; n += 1) {
        await bench.makeDue(person);
        await bench.fetch(person, context);
      }
    },
    connection: async () =>
      (
        await bench.rows(
          `select status, access_token is null and refresh_token is null and token_expires_at is null as forgotten from connection where tenant_id = $1`,
          person,
        )
      )[0],
    told: async () => (await bench.events(person)).map(({ type, data, deliveries }) => [type, data['reason'], deliveries]),
    deliveries: async () =>
      (await bench.rows('select grade from webhook_delivery where tenant_id = $1', person)).map((row) => row['grade']),
  };
}

type Connected = Awaited<ReturnType<typeof connected>>;
const subjectOf = ({ person }: Connected) => person.connection.subjectId;

const json = { 'content-type': 'application/json' };
let said = 0;

/** The same by hand, as the provider says it again, or as anybody could. Only Strava says when. */
const bytes: Readonly<Record<string, (who: Connected) => [body: string, headers: Record<string, string>]>> = {
  strava: (who) => {
    const owner = Number(subjectOf(who));
    const event = {
      object_type: 'athlete',
      object_id: owner,
      aspect_type: 'update',
      owner_id: owner,
      subscription_id: 1,
      event_time: Math.ceil(Date.now() / 1000) + (said += 1),
    };
    return [JSON.stringify({ ...event, updates: { authorized: 'false' } }), json];
  },
  garmin: (who) => deregistrations(who, [subjectOf(who)]),
  withings: (who) => [`userid=${subjectOf(who)}&appli=46&action=unlink`, { 'content-type': 'application/x-www-form-urlencoded' }],
};

function deregistrations(who: Connected, userIds: readonly string[]): [string, Record<string, string>] {
  const body = JSON.stringify({ deregistrations: userIds.map((userId) => ({ userId })) });
  return [body, { ...json, 'garmin-client-id': who.person.app.clientId }];
}

/** How each provider says that a person has left; whether they have is another matter. */
const words: Readonly<Record<string, (who: Connected) => Promise<unknown>>> = {
  strava: (who) =>
    who.control('POST', '/webhooks', {
      subjectId: subjectOf(who),
      collection: 'athlete',
      objectId: subjectOf(who),
      updates: { authorized: 'false' },
    }),
  garmin: (who) => who.control('POST', '/webhooks', { subjectId: subjectOf(who), collection: 'deregistrations' }),
  withings: (who) => who.control('POST', '/webhooks', { subjectId: subjectOf(who), appli: '46', fields: { action: 'unlink' } }),
};

describe.each(['strava', 'garmin', 'withings'])('a person who leaves us at %s, which nobody signs', (id) => {
  const say = words[id] as (who: Connected) => Promise<unknown>;
  const cases = { strava: 'C081: ', garmin: 'C075: ', withings: '' }[id] ?? '';
  let who: Connected;
  beforeEach(async () => {
    who = await connected(id);
  });

  it(`${cases}is gone once the provider itself refuses: revoked once, tokens forgotten, one event, nothing more read`, async () => {
    await say(who);
    await who.withdraw();
    expect(await who.deliveries()).toEqual(['path-secret']);
    await who.work();
    expect(await who.connection()).toEqual({ status: 'revoked', forgotten: true });
    expect(await who.told()).toEqual([['connection.revoked', 'user_revoked', 1]]);
    expect(new Set((await bench.windows(who.person)).map(({ state }) => state))).toEqual(new Set(['parked']));
    const calls = await who.control('GET', '/calls');
    // The provider says it again, and again: acknowledged, no row, nothing read, nothing told.
    for (let n = 0; n < 2; n += 1) expect((await who.post(...(bytes[id] as (typeof bytes)[string])(who))).status).toBe(200);
    expect(await who.deliveries()).toEqual(['path-secret']);
    await who.work();
    expect(await who.control('GET', '/calls')).toEqual(calls);
    expect(await who.told()).toHaveLength(1);
  });

  it('is gone in the same way when a read of data meets the refusal first', async () => {
    await who.withdraw();
    await say(who);
    await bench.resolve(who.person);
    await bench.db.pool.query(`update fetch_window set priority = case collection when 'grant' then 2 else 0 end where tenant_id = $1`, [
      who.person.scope.tenantId,
    ]);
    await bench.fetch(who.person, { ...context, slice: 1, fetches: 1 });
    expect(await who.connection()).toEqual({ status: 'revoked', forgotten: true });
    await who.work();
    expect(await who.told()).toEqual([['connection.revoked', 'user_revoked', 1]]);
  });

  it('may come back under the same connection, and leave again in the same words', async () => {
    const repeat = () => who.post(...(bytes[id] as (typeof bytes)[string])(who));
    await who.withdraw();
    await repeat();
    await who.work();
    expect(await who.connection()).toMatchObject({ status: 'revoked' });
    await who.comeBack();
    await who.work();
    expect(await who.connection()).toEqual({ status: 'active', forgotten: false });
    await who.withdraw();
    expect((await repeat()).status).toBe(200);
    await who.work();
    expect(await who.connection()).toEqual({ status: 'revoked', forgotten: true });
    expect((await who.told()).filter(([type]) => type === 'connection.revoked')).toHaveLength(2);
  });

  it('and has not, though anybody who knows the address may say so: the connection lives, and keeps its tokens', async () => {
    await say(who);
    await who.work();
    expect(await who.connection()).toEqual({ status: 'active', forgotten: false });
    expect((await who.told()).filter(([type]) => String(type).startsWith('connection.'))).toEqual([]);
    expect((await bench.windows(who.person)).filter(({ window_kind: kind }) => kind === 'whole')).toMatchObject([
      { collection: 'grant', state: 'settled', attempts: 0 },
    ]);
  });
});

describe('a deregistration at Garmin', () => {
  it('C075: of one whom we hold, one whom we do not and one who left before, in one list, is answered 200 and ends one grant', async () => {
    const who = await connected('garmin');
    const left = await bench.seed.connection(who.person.app, await bench.seed.user(who.person.scope), {
      subjectId: 'aaaaaaaa-0000-0000-0000-000000000001',
      status: 'revoked',
    });
    await who.withdraw();
    const list = [left.subjectId, subjectOf(who), 'bbbbbbbb-0000-0000-0000-000000000002', subjectOf(who)];
    expect((await who.post(...deregistrations(who, list))).status).toBe(200);
    await who.work();
    expect(await who.told()).toEqual([['connection.revoked', 'user_revoked', 1]]);
    expect(await bench.rows('select count(*)::int as n from dead_letter where tenant_id = $1', who.person)).toEqual([{ n: 0 }]);
  });

  it('that follows our own end of the registration finds nobody and is acknowledged', async () => {
    const who = await connected('garmin');
    await bench.db.pool.query(`update connection set status = 'disconnected', access_token = null where id = $1`, [
      who.person.connection.id,
    ]);
    const { clientId, clientSecret } = who.person.app;
    const input = {
      origins: who.origins,
      client: { clientId, clientSecret },
      accessToken: who.accessToken,
      subjectId: subjectOf(who),
      now: Date.now(),
    };
    expect(await findProvider('garmin')?.oauth.revoke(context.http, input)).toBe(true);
    const sent = async () =>
      (await who.control<{ webhooks: { status: number }[] }>('GET', '/webhooks')).webhooks.map(({ status }) => status);
    for (let tries = 0; tries < 100 && (await sent()).length === 0; tries += 1) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await sent()).toEqual([200]);
    expect(await who.deliveries()).toEqual([]);
    await who.work();
    expect(await who.told()).toEqual([]);
  });
});

describe.each(['oura', 'whoop', 'polar', 'google'])('a person who leaves us at %s, which tells nobody', (id) => {
  it('is found by the next read: a new consent is needed, once, and nothing more is read meanwhile', async () => {
    const who = await connected(id);
    await who.withdraw();
    await who.work();
    expect(await who.connection()).toMatchObject({ status: 'reauth_required' });
    expect(await who.told()).toEqual([['connection.reauthRequired', 'token_refused', 1]]);
    expect(new Set((await bench.windows(who.person)).map(({ state }) => state))).toEqual(new Set(['parked']));
    const calls = await who.control('GET', '/calls');
    await who.work();
    expect(await who.control('GET', '/calls')).toEqual(calls);
  });
});
