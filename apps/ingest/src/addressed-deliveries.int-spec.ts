import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededApp, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type RunningIngest, startIngest } from '../testing/start-ingest.js';

// Providers that prove nothing but that they know our address. doubles: none.  oracles: answers, rows.
let db: TestDatabase;
let ingest: RunningIngest;
let seed: Seed;
let app: SeededApp;

beforeAll(async () => {
  db = await cloneDatabase();
  seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
  ingest = await startIngest(db.url);
});
afterAll(async () => {
  await ingest.close();
  await db.drop();
});

const send = (options: Parameters<RunningIngest['send']>[1], to = app) => ingest.send(`/in/${to.provider}/${to.appKey}`, options);
const person = async (subjectId: string, of = app) => seed.connection(of, await seed.user(of), { subjectId });
const rows = async (table: string, of = app) =>
  (await db.pool.query(`select * from ${table} where tenant_id = $1 and environment = $2`, [of.tenantId, of.environment])).rows;
const stored = async (of = app) => ({
  deliveries: (await rows('webhook_delivery', of)).length,
  notices: (await rows('webhook_notice', of)).map((row) => [row.connection_id, row.collection, row.kind, row.window_start]),
  letters: (await rows('dead_letter', of)).length,
});
const stateOf = async () => (await rows('provider_app')).map((row) => row.state);
const nothing = { deliveries: 0, notices: [], letters: 0 };

describe('Withings', () => {
  beforeEach(async () => {
    app = await seed.app(await seed.environment(), { provider: 'withings', state: 'pending' });
  });
  const form = 'application/x-www-form-urlencoded';
  const notification = 'userid=38291047&startdate=1789420230&enddate=1789447290&appli=44';

  for (const [method, headers] of [
    ['HEAD', {}],
    ['GET', {}],
    ['POST', {}],
    ['POST', { 'content-type': form, 'content-length': '0' }],
  ] as const) {
    it(`C009: takes ${method}${Object.keys(headers).length > 0 ? ' of an empty form' : ''} for a probe: 200, no body, nothing stored`, async () => {
      expect(await send({ method, headers })).toMatchObject({ status: 200, body: '' });
      expect(await stored()).toEqual(nothing);
      expect(await stateOf()).toEqual(['active']);
    });
  }

  it('C109: reads a form with its charset or without, and answers 415 to multipart and JSON, of which nothing is stored', async () => {
    const { id } = await person('38291047');
    const night = [id, 'sleep', 'changed', '2026-09-14T21:10:30.000Z'];
    for (const type of ['application/json', 'multipart/form-data; boundary=x']) {
      const refused = await send({ headers: { 'content-type': type }, body: notification });
      expect([refused.status, JSON.parse(refused.body).code]).toEqual([415, 'unsupported_media_type']);
    }
    expect(await stored()).toEqual(nothing);
    expect((await send({ headers: { 'content-type': form }, body: notification })).status).toBe(200);
    expect((await send({ headers: { 'content-type': `${form}; charset=utf-8` }, body: `${notification}&foo=bar` })).status).toBe(200);
    expect(await stored()).toEqual({ deliveries: 2, notices: [night, night], letters: 0 });
    expect(await rows('webhook_delivery')).toMatchObject([
      { grade: 'path-secret', secret_id: 'app_key', signed_at: null },
      { grade: 'path-secret', secret_id: 'app_key', signed_at: null },
    ]);
  });

  it('C140: gives a notice for 512 to the connections of 512 alone, in each tenant its own', async () => {
    const other = await seed.app(await seed.environment(), { provider: 'withings' });
    const mine = await person('512');
    const theirs = await person('512', other);
    for (const near of ['5120', '25121', '51', '0512']) await person(near);
    await send({ headers: { 'content-type': form }, body: 'userid=512&date=2026-09-14&appli=16' });
    const told = (await stored()).notices;
    expect(told).toContainEqual([mine.id, 'activity', 'changed', '2026-09-14']);
    expect(new Set(told.map(([id]) => id))).toEqual(new Set([mine.id]));
    expect(await stored(other)).toEqual(nothing);
    await send({ headers: { 'content-type': form }, body: 'userid=512&date=2026-09-14&appli=16' }, other);
    expect((await stored(other)).notices).toEqual(told.map(([_mine, ...what]) => [theirs.id, ...what]));
    expect((await stored()).notices).toEqual(told);
  });

  it('is told that a form which nobody can read was received, and a person may look at it', async () => {
    expect((await send({ headers: { 'content-type': form }, body: 'userid=1&appli=16&date=private' })).status).toBe(200);
    expect(await stored()).toEqual({ ...nothing, letters: 1 });
    expect(JSON.stringify(await rows('dead_letter'))).not.toContain('private');
  });
});

describe('Strava', () => {
  beforeEach(async () => {
    app = await seed.app(await seed.environment(), { provider: 'strava', state: 'pending' });
  });
  const event = (fields: Record<string, unknown> = {}) =>
    JSON.stringify({
      aspect_type: 'create',
      event_time: 1_789_404_080,
      object_id: 17_654_321_987,
      object_type: 'activity',
      owner_id: 90_417_733,
      subscription_id: 310_227,
      updates: {},
      ...fields,
    });
  const signature = (body: string, t = Math.floor(Date.now() / 1000)) => ({
    'X-Strava-Signature': `t=${t},v1=${createHmac('sha256', app.clientSecret).update(`${t}.${body}`).digest('hex')}`,
  });

  it('gets its challenge back once it shows our token, and the app is active from then on', async () => {
    const ask = (token: string) =>
      ingest.send(`/in/strava/${app.appKey}?hub.mode=subscribe&hub.challenge=0a1b2c&hub.verify_token=${encodeURIComponent(token)}`, {
        method: 'GET',
      });
    const refused = await ask('guessed');
    expect([refused.status, refused.body.includes('0a1b2c')]).toEqual([403, false]);
    expect(await stateOf()).toEqual(['pending']);
    const answer = await ask(app.verificationToken);
    expect([answer.status, String(answer.headers['content-type']).split(';')[0], answer.body]).toEqual([
      200,
      'application/json',
      '{"hub.challenge":"0a1b2c"}',
    ]);
    expect(await stateOf()).toEqual(['active']);
    expect(await stored()).toEqual(nothing);
  });

  it('C001: refuses a fake digest with a fresh time and stores nothing; takes the right digest, and no header at all as a lesser proof', async () => {
    await person('90417733');
    const body = event();
    const fake = { 'X-Strava-Signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` };
    expect((await send({ headers: fake, body })).status).toBe(401);
    expect(await stored()).toEqual(nothing);
    expect((await send({ headers: signature(body), body })).status).toBe(200);
    const unsigned = event({ event_time: 1_789_404_081 });
    expect((await send({ body: unsigned })).status).toBe(200);
    const grades = (await rows('webhook_delivery')).map((row) => [row.grade, row.secret_id]).sort();
    expect(grades).toEqual([
      ['path-secret', 'app_key'],
      ['signed', app.clientSecretId],
    ]);
  });

  it('C001: refuses every signature while we have no client secret', async () => {
    await person('90417733');
    await db.pool.query("delete from provider_app_secret where tenant_id = $1 and purpose = 'client_secret'", [app.tenantId]);
    const body = event();
    expect((await send({ headers: signature(body), body })).status).toBe(401);
    expect(await stored()).toEqual(nothing);
  });

  it('C143: causes nothing for an owner whom we do not know, signed or not, and nothing at an address that is not ours', async () => {
    await person('90417733');
    const body = event({ owner_id: 90_417_734 });
    expect((await send({ body })).status).toBe(200);
    expect((await send({ headers: signature(body), body })).status).toBe(200);
    expect((await ingest.send('/in/strava/guessed', { body: event() })).status).toBe(404);
    expect(await stored()).toEqual(nothing);
  });

  it('C145: tells an activity from the one whose number is the same in 32 bits', async () => {
    const { id } = await person('90417733');
    const wrapped = 17_654_321_987 % 2 ** 32;
    for (const object of [17_654_321_987, wrapped]) await send({ body: event({ object_id: object }) });
    expect((await stored()).notices.map((notice) => notice[3]).sort()).toEqual(['17654321987', String(wrapped)].sort());
    expect((await stored()).notices.every((notice) => notice[0] === id)).toBe(true);
  });

  it('C114: keeps a title with an emoji as it came, though it comes in two parts that split it', async () => {
    await person('90417733');
    const body = Buffer.from(event({ aspect_type: 'update', updates: { title: 'Ranní běh 🏃‍♀️' } }));
    const within = body.indexOf('🏃') + 2;
    const parts = Readable.from([body.subarray(0, within), body.subarray(within)]);
    expect((await send({ headers: signature(body.toString()), body: parts as unknown as Buffer })).status).toBe(200);
    expect((await rows('webhook_delivery')).map((row) => [row.grade, row.raw_body])).toEqual([['signed', body]]);
  });

  it('C081: has the grant looked at when the person deauthorises, said as a text', async () => {
    const { id } = await person('90417733');
    const body = event({ object_type: 'athlete', object_id: 90_417_733, aspect_type: 'update', updates: { authorized: 'false' } });
    expect((await send({ body })).status).toBe(200);
    expect((await stored()).notices).toEqual([[id, 'grant', 'changed', '']]);
  });

  it('C077: takes the deletion of an activity that we never had, twice, once', async () => {
    const { id } = await person('90417733');
    const body = event({ aspect_type: 'delete' });
    for (let time = 0; time < 2; time += 1) expect((await send({ body })).status).toBe(200);
    expect((await stored()).notices).toEqual([[id, 'activity', 'deleted', '17654321987']]);
  });
});
