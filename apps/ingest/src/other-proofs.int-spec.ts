import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { Webhook } from 'standardwebhooks';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededApp, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type RunningIngest, startIngest } from '../testing/start-ingest.js';

// doubles: none.  oracles: answers, rows.
let db: TestDatabase;
let ingest: RunningIngest;
let seed: Seed;

beforeAll(async () => {
  db = await cloneDatabase();
  seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
  ingest = await startIngest(db.url);
});
afterAll(async () => {
  await ingest.close();
  await db.drop();
});

const fixture = (path: string) => readFileSync(new URL(`../../../packages/providers/src/${path}`, import.meta.url));
const appOf = async (provider: string, state: 'pending' | 'active' = 'active') => seed.app(await seed.environment(), { provider, state });
const person = async (app: SeededApp, subjectId: string) => seed.connection(app, await seed.user(app), { subjectId });
const post = (app: SeededApp, body: Buffer, headers: Record<string, string> = {}) =>
  ingest.send(`/in/${app.provider}/${app.appKey}`, { headers: { 'content-type': 'application/json', ...headers }, body });
const rows = async (table: string, app: SeededApp): Promise<Record<string, unknown>[]> =>
  (
    await db.pool.query(`select * from ${table} where tenant_id = $1 and environment = $2 order by 1, 2, 3, 4`, [
      app.tenantId,
      app.environment,
    ])
  ).rows;
const stateOf = async (app: SeededApp) => (await rows('provider_app', app)).map(({ state, handshaken_at: at }) => [state, at !== null]);
const kept = async (app: SeededApp) => ({
  deliveries: (await rows('webhook_delivery', app)).length,
  notices: (await rows('webhook_notice', app)).length,
  letters: (await rows('dead_letter', app)).length,
});
const nothing = { deliveries: 0, notices: 0, letters: 0 };

describe('C011: the PING of Polar, which comes before its key exists', () => {
  const ping = fixture('polar/fixtures/polar-webhook-ping.json');
  const exercise = fixture('polar/fixtures/polar-webhook-exercise.json');
  const sign = (body: Buffer, secret: string) => ({ 'Polar-Webhook-Signature': createHmac('sha256', secret).update(body).digest('hex') });

  it('is answered 200, signed or not, and changes nothing; any other event is refused', async () => {
    const app = await appOf('polar', 'pending');
    await person(app, '47510042');
    const probes: Record<string, string>[] = [{}, { 'Polar-Webhook-Event': 'PING' }, sign(ping, 'a key not known here')];
    for (const headers of probes) {
      expect(await post(app, ping, headers)).toMatchObject({ status: 200, body: '' });
    }
    expect((await post(app, exercise)).status).toBe(401);
    expect((await post(app, exercise, { 'Polar-Webhook-Event': 'PING' })).status).toBe(401);
    expect(await kept(app)).toEqual(nothing);
    expect(await stateOf(app)).toEqual([['pending', false]]);
  });

  it('makes the app active once its signature is right, and then deliveries are stored', async () => {
    const app = await appOf('polar', 'pending');
    await person(app, '47510042');
    const { value } = await seed.appSecret(app, { purpose: 'webhook_secret' });
    expect((await post(app, ping, sign(ping, value))).status).toBe(200);
    expect(await stateOf(app)).toEqual([['active', true]]);
    expect(await kept(app)).toEqual(nothing);
    expect((await post(app, exercise, sign(exercise, value))).status).toBe(200);
    expect((await post(app, exercise, sign(exercise, value))).status).toBe(200);
    expect(await rows('webhook_delivery', app)).toMatchObject([{ grade: 'signed', signed_at: null, raw_body: exercise }]);
    expect(await rows('webhook_notice', app)).toMatchObject([
      { collection: 'exercises', window_kind: 'object', window_start: 'aQ9xK1', version: null, status: 'received' },
    ]);
  });
});

describe('a delivery of WHOOP', () => {
  const body = fixture('whoop/fixtures/whoop-webhook-sleep-deleted.json');
  const sign = (secret: string, at = Date.now()) => ({
    'X-WHOOP-Signature-Timestamp': String(at),
    'X-WHOOP-Signature': createHmac('sha256', secret).update(String(at)).update(body).digest('base64'),
  });

  it('is stored once however often it is signed anew, and points at both records that it makes doubtful', async () => {
    const app = await appOf('whoop');
    await person(app, '4417301');
    const now = Date.now();
    for (const at of [now, now - 1_000, now - 60_000]) expect((await post(app, body, sign(app.clientSecret, at))).status).toBe(200);
    expect(await rows('webhook_delivery', app)).toMatchObject([{ grade: 'signed', signed_at: new Date(now) }]);
    expect((await rows('webhook_notice', app)).map(({ collection, kind }) => [collection, kind])).toEqual([
      ['sleep', 'deleted'],
      ['recovery', 'deleted'],
    ]);
  });

  it('that is forged or late is refused by the code of its fault, and leaves no row', async () => {
    const app = await appOf('whoop');
    await person(app, '4417301');
    const late = await post(app, body, sign(app.clientSecret, Date.now() - 400_000));
    expect([late.status, JSON.parse(late.body).code]).toEqual([401, 'timestamp_stale']);
    const forged = await post(app, body, sign('guessed'));
    expect([forged.status, JSON.parse(forged.body).code]).toEqual([401, 'signature_mismatch']);
    expect(await kept(app)).toEqual(nothing);
  });
});

describe('a message of a Standard Webhooks source', () => {
  const body = fixture('standard-webhooks/fixtures/sleep-created-several.json');
  const sign = (secret: string, id: string) => {
    const at = new Date();
    return {
      'svix-id': id,
      'svix-timestamp': String(Math.floor(at.getTime() / 1000)),
      'svix-signature': new Webhook(secret).sign(id, at, body.toString()),
    };
  };

  it('is known again by its id, gives each person a notice, and keeps nothing of a stranger', async () => {
    const app = await appOf('standard-webhooks');
    const { value } = await seed.appSecret(app, { purpose: 'webhook_secret', value: `whsec_${Buffer.alloc(24, 3).toString('base64')}` });
    const people = [await person(app, 'pat-7'), await person(app, 'pat-8')];
    for (const id of ['msg_1', 'msg_1', 'msg_2']) expect((await post(app, body, sign(value, id))).status).toBe(200);
    expect((await rows('webhook_delivery', app)).map((row) => row['delivery_id']).sort()).toEqual(['msg_1', 'msg_2']);
    const notices = await rows('webhook_notice', app);
    expect(notices.map((row) => row['connection_id']).sort()).toEqual(people.flatMap(({ id }) => [id, id]).sort());
    expect(new Set(notices.map((row) => [row['window_kind'], row['window_start'], row['window_end']].join()))).toEqual(
      new Set(['days,2026-09-15,2026-09-16']),
    );

    const empty = await appOf('standard-webhooks');
    await seed.appSecret(empty, { purpose: 'webhook_secret', value });
    expect((await post(empty, body, sign(value, 'msg_1'))).status).toBe(200);
    expect(await kept(empty)).toEqual(nothing);
  });
});
