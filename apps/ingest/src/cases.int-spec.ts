import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { fileNotices } from '@tributary/storage';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededApp, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type RunningIngest, ouraEvent, ouraHeaders, startIngest } from '../testing/start-ingest.js';

// What others have met, at the whole process. doubles: none.  oracles: answers, rows, tickets.
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
beforeEach(async () => {
  app = await seed.app(await seed.environment());
});

const person = async (subjectId: string, status?: 'active' | 'reauth_required') =>
  seed.connection(app, await seed.user(app), { subjectId, status });
const post = (body: Buffer | string, headers: Record<string, string | string[]> = ouraHeaders(body, app.clientSecret)) =>
  ingest.send(`/in/${app.provider}/${app.appKey}`, { headers, body });
const rows = async (table: string): Promise<Record<string, unknown>[]> =>
  (await db.pool.query(`select * from ${table} where tenant_id = $1 and environment = $2`, [app.tenantId, app.environment])).rows;
const kept = async () => [
  (await rows('webhook_delivery')).length,
  (await rows('webhook_notice')).length,
  (await rows('dead_letter')).length,
];

describe('signature', () => {
  it('C003: one body under upper, lower and mixed case is one proved delivery, and one digit that differs is none', async () => {
    await person('ann');
    const body = ouraEvent({ user_id: 'ann' });
    const genuine = ouraHeaders(body, app.clientSecret);
    const digest = genuine['x-oura-signature'] as string;
    const mixed = [...digest].map((digit, at) => (at % 2 ? digit.toLowerCase() : digit)).join('');
    for (const written of [digest, digest.toLowerCase(), mixed])
      expect((await post(body, { ...genuine, 'x-oura-signature': written })).status).toBe(200);
    expect(await kept()).toEqual([1, 1, 0]);
    const other = ouraEvent({ user_id: 'ann', object_id: 'object-2' });
    const right = ouraHeaders(other, app.clientSecret);
    const last = right['x-oura-signature'] as string;
    const flipped = last.slice(0, -1) + (last.endsWith('0') ? '1' : '0');
    expect((await post(other, { ...right, 'x-oura-signature': flipped })).status).toBe(401);
    expect(await kept()).toEqual([1, 1, 0]);
  });

  it('C006: a signature with a multibyte character, an empty one and one of 10 kB are refused, and none is a fault of ours', async () => {
    await person('ann');
    const body = ouraEvent({ user_id: 'ann' });
    const genuine = ouraHeaders(body, app.clientSecret);
    for (const written of [`é${(genuine['x-oura-signature'] as string).slice(1)}`, 'é'.repeat(32), '', 'a'.repeat(10_000)])
      expect([written.length, (await post(body, { ...genuine, 'x-oura-signature': written })).status]).toEqual([written.length, 401]);
    expect(await kept()).toEqual([0, 0, 0]);
  });

  it.each([
    ['oura', 'x-oura-signature', 64, { 'x-oura-timestamp': 's' }],
    ['whoop', 'x-whoop-signature', 44, { 'x-whoop-signature-timestamp': 'ms' }],
    ['polar', 'polar-webhook-signature', 64, {}],
    ['strava', 'x-strava-signature', 64, {}],
    ['google', 'google-health-api-signature', 96, { authorization: 'Bearer secret' }],
    ['standard-webhooks', 'webhook-signature', 44, { 'webhook-id': 'msg_1', 'webhook-timestamp': 's' }],
  ])('C006: no signature of %s in %s, whatever it is made of, is a fault of ours', async (provider, header, length, others) => {
    app = await seed.app(await seed.environment(), { provider });
    const value =
      provider === 'google'
        ? 'Bearer secret'
        : provider === 'standard-webhooks'
          ? `whsec_${Buffer.alloc(24, 1).toString('base64')}`
          : 'key';
    await seed.appSecret(app, { purpose: 'webhook_secret', value });
    const now = { s: String(Math.floor(Date.now() / 1000)), ms: String(Date.now()) };
    const rest = Object.fromEntries(Object.entries(others).map(([name, said]) => [name, said === 's' || said === 'ms' ? now[said] : said]));
    const before = provider === 'standard-webhooks' ? 'v1,' : provider === 'strava' ? `t=${now.s},v1=` : '';
    for (const written of [
      `é${'a'.repeat(length - 1)}`,
      'é'.repeat(length / 2),
      '',
      'a'.repeat(10_000),
      '\u00ff'.repeat(length),
      '='.repeat(length),
    ]) {
      const reply = await post('{}', { ...rest, [header]: before + written });
      expect([written.length, reply.status]).toEqual([written.length, 401]);
    }
    expect(await kept()).toEqual([0, 0, 0]);
  });
});

describe('raw body', () => {
  it('C106: spaces, order, 1.0 and escapes are proved as they came and stored byte for byte', async () => {
    const { id } = await person('é');
    const body =
      '{ "user_id" : "\\u00e9", "data_type":"sleep",\n\t"object_id":"a\\/b", "score": 1.0, "event_time": "2026-11-29T07:12:44.000001+00:00", "event_type":"update" }  \n';
    expect((await post(body)).status).toBe(200);
    const parsedAndWritten = JSON.stringify(JSON.parse(body));
    expect((await post(parsedAndWritten, ouraHeaders(body, app.clientSecret))).status).toBe(401);
    expect((await rows('webhook_delivery')).map((row) => row['raw_body'])).toEqual([Buffer.from(body)]);
    expect((await rows('webhook_notice')).map((row) => [row['connection_id'], row['window_start']])).toEqual([[id, 'a/b']]);
  });
});

describe('unicode', () => {
  it('C114: an emoji in a field that we do not read changes neither proof nor bytes', async () => {
    await person('ann');
    const body = ouraEvent({ user_id: 'ann', note: 'Ranní běh 🏃‍♀️', 'clé 🔑': '\u2028' });
    expect((await post(body)).status).toBe(200);
    expect((await rows('webhook_delivery')).map((row) => row['raw_body'])).toEqual([Buffer.from(body)]);
  });

  it('C116: a NUL in a field that we do not read, its six characters in another, and one in a name are kept as they came', async () => {
    await person('ann');
    const bodies = ['"title":"a\\u0000b"', '"title":"a\\\\u0000b"', '"ti\\u0000tle":"a"'].map((field, n) =>
      ouraEvent({ user_id: 'ann', object_id: `o${n}` }).replace(/}$/, `,${field}}`),
    );
    for (const body of bodies) expect((await post(body)).status).toBe(200);
    expect((await rows('webhook_delivery')).map((row) => String(row['raw_body'])).sort()).toEqual([...bodies].sort());
    expect(await kept()).toEqual([3, 3, 0]);
  });
});

describe('dedupe', () => {
  it('C023: the same delivery while its work runs and after it ended, a hundred times, is one notice and one window', async () => {
    await person('ann');
    const body = ouraEvent({ user_id: 'ann' });
    const send = (times: number) => Promise.all(Array.from({ length: times }, () => post(body)));
    const replies = await send(30);
    await fileNotices(db.pool, app, 100);
    replies.push(...(await send(40)));
    await db.pool.query(`update webhook_notice set status = 'applied' where tenant_id = $1`, [app.tenantId]);
    await db.pool.query(`update fetch_window set state = 'settled' where tenant_id = $1`, [app.tenantId]);
    replies.push(...(await send(30)));
    await fileNotices(db.pool, app, 100);
    expect(replies.filter(({ status }) => status === 200).length).toBe(100);
    expect(await kept()).toEqual([1, 1, 0]);
    expect(await rows('fetch_window')).toMatchObject([{ state: 'settled', notices: 1 }]);
  });

  it('C131: one delivery many times in one batch, among others, brings none of them down', async () => {
    await person('ann');
    const twice = ouraEvent({ user_id: 'ann', object_id: 'twice' });
    const bodies = Array.from({ length: 60 }, (_, n) => (n % 3 ? twice : ouraEvent({ user_id: 'ann', object_id: `o${n}` })));
    const replies = await Promise.all(bodies.map((body) => post(body)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await kept()).toEqual([21, 21, 0]);
  });
});

describe('two subscriptions that tell of one change', () => {
  const at = 1_795_936_364;
  const filed = async () => {
    await fileNotices(db.pool, app, 100);
    return (await rows('fetch_window')).map((row) => [row['collection'], row['window_start'], row['notices'], row['state']]);
  };

  it('C021: in two deliveries are two receipts and one read', async () => {
    app = await seed.app(await seed.environment(), { provider: 'strava' });
    await person('90417733');
    const event = (subscription_id: number) =>
      JSON.stringify({
        object_type: 'activity',
        object_id: 7,
        aspect_type: 'create',
        owner_id: 90_417_733,
        event_time: at,
        updates: {},
        subscription_id,
      });
    for (const body of [event(1), event(2), event(1)]) expect((await post(body, {})).status).toBe(200);
    expect((await rows('webhook_delivery')).map((row) => String(row['raw_body'])).sort()).toEqual([event(1), event(2)]);
    expect(await filed()).toEqual([['activity', '7', 2, 'waiting']]);
  });

  it('C021: in one delivery are one notice, and the delivery is kept as it came', async () => {
    app = await seed.app(await seed.environment(), { provider: 'garmin' });
    await person('user-1');
    const item = { userId: 'user-1', uploadStartTimeInSeconds: at, uploadEndTimeInSeconds: at + 60 };
    const ping = {
      ...item,
      callbackURL: `https://apis.garmin.com/wellness-api/rest/dailies?uploadStartTimeInSeconds=${at}&uploadEndTimeInSeconds=${at + 60}`,
    };
    const body = JSON.stringify({
      dailies: [
        { ...ping, subscriptionId: 'a' },
        { ...ping, subscriptionId: 'b' },
      ],
    });
    expect((await post(body, {})).status).toBe(200);
    expect((await rows('webhook_delivery')).map((row) => String(row['raw_body']))).toEqual([body]);
    expect(await filed()).toMatchObject([['dailies', expect.any(String), 1, 'waiting']]);
  });
});

describe('multi-tenant leak', () => {
  it('C140: a subject is met whole: 512 is neither 5120 nor 25121, nor 512 with a space', async () => {
    for (const near of ['5120', '25121', '51', ' 512', '512 ', '%512%']) await person(near);
    expect((await post(ouraEvent({ user_id: '512' }))).status).toBe(200);
    expect(await kept()).toEqual([0, 0, 0]);
  });

  it('C146: one account of two users gives each a notice of each kind, though the token of one is dead', async () => {
    const [first, second] = [await person('ann', 'reauth_required'), await person('ann')];
    for (const data_type of ['sleep', 'daily_activity']) await post(ouraEvent({ user_id: 'ann', data_type }));
    expect((await rows('webhook_notice')).map((row) => `${String(row['connection_id'])} ${String(row['collection'])}`).sort()).toEqual(
      [first, second].flatMap(({ id }) => [`${id} daily_activity`, `${id} sleep`]).sort(),
    );
    await fileNotices(db.pool, app, 100);
    expect((await rows('fetch_window')).map((row) => [row['connection_id'], row['state']]).sort()).toEqual(
      [
        [first.id, 'parked'],
        [first.id, 'parked'],
        [second.id, 'waiting'],
        [second.id, 'waiting'],
      ].sort(),
    );
  });
});

describe('what an unsigned body carries', () => {
  const push = readFileSync(
    new URL('../../../packages/providers/src/garmin/fixtures/garmin-webhook-push-dailies.json', import.meta.url),
  ).toString();
  const subject = (JSON.parse(push) as { dailies: { userId: string }[] }).dailies[0]?.userId as string;
  beforeEach(async () => {
    app = await seed.app(await seed.environment(), { provider: 'garmin' });
    await person(subject);
  });
  const carried = async () => (await rows('webhook_notice')).map((row) => row['carried'] !== null);

  it('is not kept: the notice only points', async () => {
    expect((await post(push, { 'content-type': 'application/json' })).status).toBe(200);
    expect(new Set(await carried())).toEqual(new Set([false]));
  });

  it('is kept once the operator has said that it is to be taken', async () => {
    await db.pool.query('update provider_app set accepts_carried = true where id = $1', [app.id]);
    expect((await post(push, { 'content-type': 'application/json' })).status).toBe(200);
    expect(new Set(await carried())).toEqual(new Set([true]));
  });
});

describe('a person whom we do not hold', () => {
  const tickets = async () =>
    (
      await db.pool.query<{ data: unknown }>(`select data from bullmq.job where queue like '%leftover' and data->>'key' like $1`, [
        `%${app.id}`,
      ])
    ).rows.map(({ data }) => data);
  const waitForTickets = async () => {
    for (let tries = 0; tries < 200 && (await tickets()).length === 0; tries += 1)
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    return tickets();
  };

  it('leaves nothing but one ticket that names the app, however often the provider writes about them', async () => {
    const own = await startIngest(db.url);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const body = ouraEvent({ user_id: 'stranger-of-ours', object_id: `o${n}` });
        return own.send(`/in/oura/${app.appKey}`, { headers: ouraHeaders(body, app.clientSecret), body });
      }),
    );
    const { body } = await own.send('/metrics', { method: 'GET' });
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(await waitForTickets()).toEqual([{ key: `${app.tenantId}/${app.environment}#${app.id}` }]);
    await own.close();
    expect(await kept()).toEqual([0, 0, 0]);
    expect(await tickets()).toHaveLength(1);
    expect(body).toMatch(/outcome="unknown_subject",code="",service="ingest"\} \d+/);
    expect(JSON.stringify(await tickets()) + body).not.toContain('stranger-of-ours');
  });

  it('beside one whom we do leaves as little: the others are told, the app is owed a look, and it is counted', async () => {
    app = await seed.app(await seed.environment(), { provider: 'garmin' });
    await person('of-ours');
    const own = await startIngest(db.url);
    const activities = ['of-ours', 'stranger-of-ours'].map((userId) => ({ userId, summaryId: `${userId}-1` }));
    const headers = { 'content-type': 'application/json', 'garmin-client-id': app.clientId };
    const reply = await own.send(`/in/garmin/${app.appKey}`, { headers, body: JSON.stringify({ activities }) });
    const { body } = await own.send('/metrics', { method: 'GET' });
    expect(reply.status).toBe(200);
    expect(await waitForTickets()).toEqual([{ key: `${app.tenantId}/${app.environment}#${app.id}` }]);
    await own.close();
    expect((await rows('webhook_delivery')).map((row) => row['raw_body'])).toEqual([null]);
    expect((await rows('webhook_notice')).map((row) => row['window_start'])).toEqual(['of-ours-1']);
    expect(body).toMatch(/outcome="new",code="some_unknown",service="ingest"\} 1/);
    expect(JSON.stringify(await tickets()) + body).not.toContain('stranger-of-ours');
  });
});
