import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RemoteKeys, findInboundProvider } from '@tributary/providers';
import { type Callback, KeyRing, createLog, openCarried, sealCallback, systemClock } from '@tributary/service-shell';
import { rawRequest } from '../../../packages/providers/testing/raw-request.js';
import { tinkKeyPair, tinkKeyset } from '../../../packages/providers/testing/tink-keys.js';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededApp, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type RunningIngest, startIngest } from '../testing/start-ingest.js';
import { acceptWebhook } from './accept-webhook.js';
import { openPostgresBook } from './delivery-book.postgres.js';

// doubles: Google's page of keys, at the client's edge.  oracles: answers, rows.
let db: TestDatabase;
let ingest: RunningIngest;
let seed: Seed;
let app: SeededApp;
const keys = new KeyRing(TEST_KEYS);

beforeAll(async () => {
  db = await cloneDatabase();
  seed = new Seed(db.pool, keys);
  ingest = await startIngest(db.url);
});
afterAll(async () => {
  await ingest.close();
  await db.drop();
});

const fixture = (path: string) => readFileSync(new URL(`../../../packages/providers/src/${path}`, import.meta.url));
const person = async (subjectId: string) => seed.connection(app, await seed.user(app), { subjectId });
const post = (body: Buffer | string, headers: Record<string, string> = {}) =>
  ingest.send(`/in/${app.provider}/${app.appKey}`, { headers: { 'content-type': 'application/json', ...headers }, body });
const rows = async (table: string): Promise<Record<string, unknown>[]> =>
  (await db.pool.query(`select * from ${table} where tenant_id = $1 and environment = $2`, [app.tenantId, app.environment])).rows;
const pointers = async () =>
  (await rows('webhook_notice'))
    .map((row) => [row['connection_id'], row['collection'], row['window_kind'], row['window_start'], row['window_end']].join(' '))
    .sort();
const kept = async () => ({
  deliveries: (await rows('webhook_delivery')).length,
  notices: (await rows('webhook_notice')).length,
  letters: (await rows('dead_letter')).length,
});
const nothing = { deliveries: 0, notices: 0, letters: 0 };

describe('a delivery of Google Health', () => {
  const notification = fixture('google/fixtures/google-webhook-notification.json');
  const pair = tinkKeyPair(0xf0000001);
  let secret: string;

  beforeEach(async () => {
    app = await seed.app(await seed.environment(), { provider: 'google' });
    secret = (await seed.appSecret(app, { purpose: 'webhook_secret', value: 'Bearer made-up-subscriber-secret' })).value;
  });

  /** As the routes do it, with a page of keys that is ours. */
  async function accept(headers: Record<string, string>, body = notification, remoteKeys: RemoteKeys = page(tinkKeyset(pair))) {
    const google = findInboundProvider('google');
    if (google === undefined) throw new Error('no such provider');
    const limits = { inFlight: 1, batchItems: 10, batchBytes: 1e6, waitingItems: 10, waitingBytes: 1e6, deadlineMs: 5_000 };
    const log = createLog('ingest', 'silent');
    const book = openPostgresBook({
      sql: db.pool,
      keys,
      clock: systemClock,
      log,
      limits,
      sandboxUrl: undefined,
      observeBatch: () => undefined,
    });
    const subjectHashes = (providerAppId: string, subjectId: string) => keys.subjectHashes(providerAppId, subjectId);
    const seal = (providerAppId: string, callback: Callback) => sealCallback(keys, providerAppId, callback);
    const owed = { oweResolve: () => undefined, oweLeftover: () => undefined };
    const parts = { book, ...owed, clock: systemClock, remoteKeys, subjectHashes, sealCallback: seal };
    const { answer, counted } = await acceptWebhook(parts, google, app.appKey, rawRequest({ headers, body }));
    return [answer.status, counted];
  }

  const page = (text: string): RemoteKeys => ({ current: async () => text, renewed: async () => undefined });
  const proofs = () => ({ authorization: secret, 'google-health-api-signature': pair.sign(notification) });

  it('is stored once under both of its proofs, its far-apart spans each on its own, and answered 204', async () => {
    const { id } = await person('7203998815540021993');
    expect(await accept(proofs())).toEqual([204, 'new']);
    expect(await accept(proofs())).toEqual([204, 'duplicate']);
    expect(await rows('webhook_delivery')).toMatchObject([{ grade: 'signed', signed_at: null, raw_body: notification }]);
    expect(await pointers()).toEqual([
      `${id} sleep instants 2026-09-15T03:30:00.000Z 2026-09-15T04:41:30.000Z`,
      `${id} steps days 2026-09-14 2026-09-15`,
      `${id} steps instants 2026-03-02T20:00:00.000Z 2026-03-02T21:00:00.000Z`,
    ]);
  });

  it('of a stranger is acknowledged and leaves no row', async () => {
    expect(await accept(proofs())).toEqual([204, 'unknown_subject']);
    expect(await kept()).toEqual(nothing);
  });

  it('with one proof of the two, or one that is wrong, is refused and leaves no row', async () => {
    await person('7203998815540021993');
    const { authorization, 'google-health-api-signature': signature } = proofs();
    const partial: Record<string, string>[] = [
      {},
      { authorization },
      { 'google-health-api-signature': signature },
      { authorization: 'Bearer guessed', 'google-health-api-signature': signature },
      { authorization, 'google-health-api-signature': tinkKeyPair(pair.keyId).sign(notification) },
      { authorization, 'google-health-api-signature': pair.sign(Buffer.from('[]')) },
    ];
    for (const headers of partial) expect(await accept(headers)).toEqual([401, 'refused']);
    expect(await kept()).toEqual(nothing);
  });

  it('that nobody can read is acknowledged, or Google would repeat it for a week, and a person may look at it', async () => {
    const body = Buffer.from('[{"data":{"dataType":"steps"}}]');
    expect(await accept({ authorization: secret, 'x-healthapi-signature': pair.sign(body) }, body)).toEqual([204, 'malformed']);
    expect(await rows('dead_letter')).toMatchObject([{ code: 'malformed_delivery', detail: '[0].data.healthUserId: expected text' }]);
  });

  it('C013: over HTTP, nothing without the secret is taken, probe or not, and nothing unsigned but the probe', async () => {
    await person('7203998815540021993');
    const probe = '{"type":"verification"}';
    expect((await post(probe, { Authorization: secret })).status).toBe(201);
    expect((await post(probe)).status).toBe(401);
    for (const Authorization of ['', 'Bearer guessed', 'Basic made-up-subscriber-secret', secret.toLowerCase()]) {
      expect((await post(probe, { Authorization })).status).toBe(401);
    }
    expect((await post(`[${probe}]`, { Authorization: secret })).status).toBe(401);
    expect((await post(notification, { Authorization: secret })).status).toBe(401);
    expect(await kept()).toEqual(nothing);
  });
});

describe('a delivery of Garmin', () => {
  const ann = '3f0c1d52-77aa-4c1e-9d4b-0a55c2e1b901';

  beforeEach(async () => {
    app = await seed.app(await seed.environment(), { provider: 'garmin' });
  });

  it('points at what was uploaded for the people whom we know, and its addresses and keys are only stored sealed', async () => {
    const { id } = await person(ann);
    await person('c7b9e0aa-1203-4f6e-8d11-5b7f3a90d2e4');
    const ping = fixture('garmin/fixtures/garmin-webhook-ping.json');
    expect(await post(ping, { 'garmin-client-id': app.clientId })).toMatchObject({ status: 200, body: '' });
    expect((await pointers()).filter((pointer) => pointer.startsWith(id))).toEqual([
      `${id} dailies instants 2026-09-14T19:00:00.000Z 2026-09-14T20:00:00.000Z`,
      `${id} sleeps instants 2026-09-15T05:00:00.000Z 2026-09-15T06:00:00.000Z`,
    ]);
    const [delivery] = await rows('webhook_delivery');
    expect(delivery).toMatchObject({ grade: 'path-secret' });
    const text = String(delivery?.['raw_body']);
    expect(text).toBe(ping.toString().replace(/token=[^"]*/g, 'token=redacted'));
    const notices = await rows('webhook_notice');
    const stored = notices.map((row) => row['carried'] as Buffer);
    for (const secret of ['token', 'bWFkZS11cA', 'apis.garmin.com', ann]) expect(Buffer.concat(stored).includes(secret)).toBe(false);
    const addresses = [...ping.toString().matchAll(/"callbackURL":"([^"]+)"/g)].map(([, url]) => url);
    const { callbacks, data } = openCarried(keys, app.id, stored);
    expect(data).toEqual([]);
    expect(callbacks.map(({ url }) => url).sort()).toEqual([...addresses].sort());
    expect(new Set(callbacks.map(({ subjectId }) => subjectId))).toEqual(new Set([ann, 'c7b9e0aa-1203-4f6e-8d11-5b7f3a90d2e4']));
  });

  it('for another app is refused, and at an address that is not ours it is not found', async () => {
    await person(ann);
    const body = fixture('garmin/fixtures/garmin-webhook-push-dailies.json');
    expect((await post(body, { 'garmin-client-id': 'another' })).status).toBe(401);
    expect((await ingest.send('/in/garmin/guessed', { headers: { 'garmin-client-id': app.clientId }, body })).status).toBe(404);
    expect(await kept()).toEqual(nothing);
  });

  it('C075: deregistrations are answered 200, known person or not, and only the known one’s grant is looked at', async () => {
    const { id } = await person(ann);
    const body = fixture('garmin/fixtures/garmin-webhook-deregistrations.json');
    expect((await post(body)).status).toBe(200);
    expect(await pointers()).toEqual([`${id} grant whole  `]);
    expect((await post('{"deregistrations":[{"userId":"nobody"}]}')).status).toBe(200);
    expect(await kept()).toEqual({ deliveries: 1, notices: 1, letters: 0 });
  });

  it('C121: keys that nobody knows are acknowledged and counted beside those that are read, and the whole body is kept', async () => {
    const counted = async () => {
      const { body: text } = await ingest.send('/metrics', { method: 'GET' });
      return Number(/tributary_ingest_unread_kinds_total\{provider="garmin"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    const before = await counted();
    await person(ann);
    const body = fixture('garmin/fixtures/garmin-webhook-push-mixed-types.json');
    expect((await post(body)).status).toBe(200);
    expect(new Set((await rows('webhook_notice')).map((row) => row['collection']))).toEqual(
      new Set(['allDayRespiration', 'hrv', 'pulseox', 'stressDetails', 'userMetrics']),
    );
    expect(await rows('webhook_delivery')).toMatchObject([{ raw_body: body }]);
    const inBoth = Object.keys(JSON.parse(body.toString()) as object).length;
    expect(await counted()).toBeGreaterThan(before);
    expect(await counted()).toBeLessThan(before + inBoth);
    const invented = JSON.stringify({ sweatLoss: [{ userId: ann }], hrv: [{ userId: ann, summaryId: 's' }] });
    const between = await counted();
    expect((await post(invented)).status).toBe(200);
    expect(await counted()).toBe(between + 1);
    // As a renamed key would come: alone, and of somebody whom we know or not.
    for (const userId of [ann, 'x']) expect((await post(JSON.stringify({ sweatLoss: [{ userId }] }))).status).toBe(200);
    expect(await counted()).toBe(between + 3);
  });

  it('of somebody whom nobody knows or who has no notice is not kept with the bytes of the others', async () => {
    await person(ann);
    const bob = await person('bob');
    const daily = { userId: ann, summaryId: 's', calendarDate: '2026-09-14' };
    for (const activityDetails of [[{ userId: 'made-up-stranger' }], [{ userId: bob.subjectId, at: 7 }], [{ at: 8 }]])
      expect((await post(JSON.stringify({ dailies: [daily], activityDetails }))).status).toBe(200);
    const deliveries = await rows('webhook_delivery');
    expect(deliveries.map((row) => row['raw_body'])).toEqual([null, null, null]);
    expect((await rows('webhook_notice')).length).toBe(3);
  });

  it('with an item that cannot be read brings what the others say, and a letter about that one; of strangers it leaves no row', async () => {
    const { id } = await person(ann);
    const [daily, wrong] = [
      { userId: ann, summaryId: 's', calendarDate: '2026-09-14' },
      { userId: 'private', callbackURL: 'https://private.test/' },
    ];
    const body = JSON.stringify({ dailies: [wrong, daily, null] });
    for (let n = 0; n < 2; n += 1) expect((await post(body)).status).toBe(200);
    expect(await pointers()).toEqual([`${id} dailies days 2026-09-14 2026-09-15`]);
    const detail = 'dailies[0].callbackURL: not an address of Garmin';
    expect(await rows('dead_letter')).toMatchObject([{ code: 'malformed_delivery', detail, connection_id: null }]);
    expect(await rows('webhook_delivery')).toMatchObject([{ raw_body: null }]);
    expect((await post(JSON.stringify({ dailies: [{ ...daily, userId: 'nobody' }, wrong] }))).status).toBe(200);
    expect(await kept()).toEqual({ deliveries: 1, notices: 1, letters: 1 });
  });

  it('C117: six megabytes of 200 people are taken well inside 30 s; beyond the limit it is told that it was too much', async () => {
    const { id } = await person('user-7');
    const samples = Object.fromEntries(Array.from({ length: 2_300 }, (_, at) => [String(at * 15), 60 + (at % 40)]));
    const epochs = Array.from({ length: 200 }, (_, n) => ({ userId: `user-${n}`, summaryId: `s-${n}`, steps: n, samples }));
    const dailies = epochs.map((epoch) => ({ ...epoch, calendarDate: '2026-09-14' }));
    const started = performance.now();
    expect((await post(JSON.stringify({ epochs, dailies }))).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(await pointers()).toEqual([`${id} dailies days 2026-09-14 2026-09-15`, `${id} epochs object s-7 s-7`]);
    expect((await post(Buffer.alloc(17 * 1_048_576, ' '))).status).toBe(413);
  });
});
