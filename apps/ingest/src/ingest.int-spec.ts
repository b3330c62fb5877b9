import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededApp, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type RunningIngest, ouraEvent, ouraHeaders, startIngest } from '../testing/start-ingest.js';

// doubles: none.  oracles: answers, rows.
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
beforeEach(async () => {
  app = await seed.app(await seed.environment());
});

const person = async (subjectId: string, of = app, status?: 'active' | 'reauth_required' | 'revoked' | 'disconnected') =>
  seed.connection(of, await seed.user(of), { subjectId, status });
const post = (body: string, headers: Record<string, string | string[]> = ouraHeaders(body, app.clientSecret), to = app) =>
  ingest.send(`/in/oura/${to.appKey}`, { headers, body });
const rows = async (table: string, of = app) =>
  (
    await db.pool.query(`select * from ${table} where tenant_id = $1 and environment = $2 order by 1, 2, 3, 4`, [
      of.tenantId,
      of.environment,
    ])
  ).rows;
const counts = async (of = app) => ({
  deliveries: (await rows('webhook_delivery', of)).length,
  notices: (await rows('webhook_notice', of)).length,
  letters: (await rows('dead_letter', of)).length,
});
const nothing = { deliveries: 0, notices: 0, letters: 0 };

describe('a genuine delivery', () => {
  it('is stored with its proof, its bytes and one notice, and acknowledged', async () => {
    const connection = await person('ann');
    const body = ouraEvent({ user_id: 'ann', event_type: 'delete', data_type: 'sleep' });
    const signedAt = Math.floor(Date.now() / 1000) * 1000;
    expect(await post(body, ouraHeaders(body, app.clientSecret, signedAt))).toMatchObject({ status: 200, body: '' });
    expect(await rows('webhook_delivery')).toMatchObject([
      {
        provider_app_id: app.id,
        grade: 'signed',
        secret_id: app.clientSecretId,
        signed_at: new Date(signedAt),
        body_hash: createHash('sha256').update(body).digest(),
        raw_body: Buffer.from(body),
      },
    ]);
    expect(await rows('webhook_notice')).toMatchObject([
      {
        ordinal: 0,
        connection_id: connection.id,
        collection: 'sleep',
        kind: 'deleted',
        window_kind: 'object',
        window_start: 'object-1',
        window_end: 'object-1',
        version: 1_795_936_364_000_001,
        status: 'received',
      },
    ]);
  });

  it('that is repeated is a success and changes nothing', async () => {
    await person('ann');
    const body = ouraEvent({ user_id: 'ann' });
    expect((await post(body)).status).toBe(200);
    const before = await rows('webhook_delivery');
    const again = await Promise.all(
      Array.from({ length: 20 }, (_, n) => post(body, ouraHeaders(body, app.clientSecret, Date.now() - n * 1000))),
    );
    expect(new Set(again.map((reply) => reply.status))).toEqual(new Set([200]));
    expect(await rows('webhook_delivery')).toEqual(before);
    expect(await counts()).toEqual({ deliveries: 1, notices: 1, letters: 0 });
  });

  it('that comes twenty times at once is stored once', async () => {
    await person('ann');
    const body = ouraEvent({ user_id: 'ann' });
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(body)));
    expect(replies.every((reply) => reply.status === 200)).toBe(true);
    expect(await counts()).toEqual({ deliveries: 1, notices: 1, letters: 0 });
  });

  it('about a subject with two connections gives two notices', async () => {
    const connections = [await person('ann'), await person('ann')];
    await post(ouraEvent({ user_id: 'ann' }));
    expect((await rows('webhook_notice')).map((row) => row.connection_id).sort()).toEqual(connections.map(({ id }) => id).sort());
  });

  it('is kept for a connection that waits for consent, and acknowledged without a row for one that ended', async () => {
    await person('waits', app, 'reauth_required');
    await person('left', app, 'disconnected');
    await person('ended', app, 'revoked');
    for (const user_id of ['waits', 'left', 'ended']) expect((await post(ouraEvent({ user_id }))).status).toBe(200);
    expect(await rows('webhook_notice')).toMatchObject([{ window_start: 'object-1' }]);
    expect(await counts()).toEqual({ deliveries: 1, notices: 1, letters: 0 });
  });

  it('never reaches a connection of another app or tenant with the same subject', async () => {
    const other = await seed.app(await seed.environment());
    await person('ann', other);
    expect((await post(ouraEvent({ user_id: 'ann' }))).status).toBe(200);
    expect([await counts(), await counts(other)]).toEqual([nothing, nothing]);
  });

  it('may say any content type, or one that is none', async () => {
    await person('ann');
    for (const [n, type] of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense', 'application/json; charset=utf-16'].entries()) {
      const body = ouraEvent({ user_id: 'ann', object_id: `o${n}` });
      expect((await post(body, { ...ouraHeaders(body, app.clientSecret), 'content-type': type })).status).toBe(200);
    }
    expect((await rows('webhook_delivery')).length).toBe(4);
  });

  it('owes the worker a ticket for its environment', async () => {
    await person('ann');
    await post(ouraEvent({ user_id: 'ann' }));
    const ticket = `${app.tenantId}/${app.environment}`;
    for (let tries = 0; tries < 100; tries += 1) {
      const { rows: jobs } = await db.pool.query(`select state from bullmq.job where queue like '%resolve' and data->>'key' = $1`, [
        ticket,
      ]);
      if (jobs.length > 0) return;
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
    throw new Error('no ticket came');
  });
});

describe('a delivery that is not ours to keep', () => {
  it('leaves no row anywhere when nobody knows its subject', async () => {
    expect((await post(ouraEvent({ user_id: 'stranger' }))).status).toBe(200);
    expect(await counts()).toEqual(nothing);
  });

  it('leaves no row anywhere when its subject was erased, even while a connection stands', async () => {
    await person('ghost');
    await db.pool.query(`insert into subject_tombstone (tenant_id, environment, provider_app_id, subject_hash) values ($1, $2, $3, $4)`, [
      app.tenantId,
      app.environment,
      app.id,
      keys.subjectHashes(app.id, 'ghost')[0],
    ]);
    expect((await post(ouraEvent({ user_id: 'ghost' }))).status).toBe(200);
    expect(await counts()).toEqual(nothing);
  });

  it('waits for an erasure that is under way and then finds nobody', async () => {
    const connection = await person('ghost');
    const erasure = await db.pool.connect();
    await erasure.query('begin');
    await erasure.query('select 1 from connection where id = $1 for update', [connection.id]);
    const reply = post(ouraEvent({ user_id: 'ghost' }));
    await new Promise((resolve) => {
      setTimeout(resolve, 150);
    });
    await erasure.query('delete from connection where id = $1', [connection.id]);
    await erasure.query('commit');
    erasure.release();
    expect((await reply).status).toBe(200);
    expect(await counts()).toEqual(nothing);
  });

  it('is acknowledged without a row when we do not read its type', async () => {
    await person('ann');
    expect((await post(ouraEvent({ user_id: 'ann', data_type: 'enhanced_tag' }))).status).toBe(200);
    expect(await counts()).toEqual(nothing);
  });
});

describe('a delivery without proof', () => {
  it('is refused with a stable code and leaves no row', async () => {
    await person('ann');
    const body = ouraEvent({ user_id: 'ann' });
    const genuine = ouraHeaders(body, app.clientSecret);
    const signature = genuine['x-oura-signature'] as string;
    const { 'x-oura-signature': _none, ...unsigned } = genuine;
    const { 'x-oura-timestamp': _never, ...undated } = genuine;
    const cases: [string, Record<string, string | string[]>][] = [
      ['signature_mismatch', ouraHeaders(body, 'guessed')],
      ['signature_mismatch', { ...genuine, 'x-oura-signature': signature.slice(1) }],
      ['signature_mismatch', { ...genuine, 'x-oura-signature': `${signature}${signature}` }],
      ['signature_mismatch', { ...genuine, 'x-oura-signature': 'é'.repeat(64) }],
      ['signature_mismatch', { ...genuine, 'x-oura-signature': [signature, signature] }],
      ['signature_missing', unsigned],
      ['timestamp_missing', undated],
      ['timestamp_malformed', { ...genuine, 'x-oura-timestamp': 'yesterday' }],
      ['timestamp_stale', ouraHeaders(body, app.clientSecret, Date.now() - 302_000)],
      ['timestamp_future', ouraHeaders(body, app.clientSecret, Date.now() + 302_000)],
    ];
    for (const [code, headers] of cases) {
      const reply = await post(body, headers);
      expect([reply.status, JSON.parse(reply.body).code]).toEqual([401, code]);
    }
    expect(await counts()).toEqual(nothing);
  });

  it('is refused before it is read: a malformed body without proof leaves no dead letter', async () => {
    expect((await post('{"user_id":', ouraHeaders('{"user_id":', 'guessed'))).status).toBe(401);
    expect(await counts()).toEqual(nothing);
  });

  it('is refused when it was signed with a secret that has retired, and taken with either while both live', async () => {
    await person('ann');
    const old = app.clientSecret;
    const next = await seed.appSecret(app, { value: 'next-secret' });
    await new Promise((resolve) => {
      setTimeout(resolve, 1_100);
    });
    const send = (secret: string, object_id: string) => {
      const body = ouraEvent({ user_id: 'ann', object_id });
      return post(body, ouraHeaders(body, secret));
    };
    expect([(await send(old, 'a')).status, (await send(next.value, 'b')).status]).toEqual([200, 200]);
    await db.pool.query(`update provider_app_secret set retires_at = now() where id = $1`, [app.clientSecretId]);
    await new Promise((resolve) => {
      setTimeout(resolve, 1_100);
    });
    expect([(await send(old, 'c')).status, (await send(next.value, 'd')).status]).toEqual([401, 200]);
    expect((await rows('webhook_delivery')).length).toBe(3);
  });
});

describe('a proved delivery that cannot be read', () => {
  it('is acknowledged once and for all, and opens one dead letter without its body', async () => {
    for (let times = 0; times < 2; times += 1) expect((await post('{"user_id":"private')).status).toBe(200);
    const letters = await rows('dead_letter');
    expect(letters).toMatchObject([
      {
        provider: 'oura',
        provider_app_id: app.id,
        bucket: 'drift',
        code: 'malformed_delivery',
        window_start: null,
        connection_id: null,
        body_bytes: 19,
        body_hash: createHash('sha256').update('{"user_id":"private').digest(),
        closed_at: null,
      },
    ]);
    expect(JSON.stringify(letters)).not.toContain('private');
    expect(await counts()).toEqual({ deliveries: 0, notices: 0, letters: 1 });
  });

  it('does not harm those that came with it', async () => {
    await person('ann');
    const bodies = Array.from({ length: 30 }, (_, n) =>
      ouraEvent({
        user_id: 'ann',
        object_id: n === 7 ? 'nul\0nul' : n === 11 ? 'half\ud800' : n === 13 ? 'x'.repeat(5_000) : `object-${n}`,
      }),
    );
    const replies = await Promise.all(bodies.map((body) => post(body)));
    expect(replies.every((reply) => reply.status === 200)).toBe(true);
    expect(await counts()).toEqual({ deliveries: 27, notices: 27, letters: 3 });
  });
});

describe('requests that are no deliveries', () => {
  it('of 3 MB are refused and nothing is stored, announced or not', async () => {
    await person('ann');
    const body = Buffer.alloc(3 * 1_048_576, 'x');
    const reply = await ingest.send(`/in/oura/${app.appKey}`, { headers: ouraHeaders(body, app.clientSecret), body });
    expect([reply.status, JSON.parse(reply.body).code]).toEqual([413, 'body_too_large']);
    expect(await counts()).toEqual(nothing);
  });

  it('to an unknown app, provider or path get 404 that tells nothing', async () => {
    const body = ouraEvent({ user_id: 'ann' });
    const headers = ouraHeaders(body, app.clientSecret);
    const disabled = await seed.app(app, { state: 'disabled' });
    const foreign = await seed.app(app, { provider: 'whoop' });
    for (const path of [
      '/in/oura/nobody',
      `/in/whoop/${app.appKey}`,
      `/in/oura/${foreign.appKey}`,
      `/in/oura/${disabled.appKey}`,
      '/in/oura/%00',
      '/in/x',
    ]) {
      const reply = await ingest.send(path, { headers, body });
      expect([path, reply.status, reply.body]).toEqual([path, 404, '{"code":"not_found","message":"Nothing is here."}']);
    }
  });

  it('by another method get 405, never 410', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
      const reply = await ingest.send(`/in/oura/${app.appKey}`, { method });
      expect([method, reply.status, reply.headers['allow']]).toEqual([method, 405, 'GET, POST']);
    }
  });
});

describe('the handshake', () => {
  const ask = (query: string, of = app) => ingest.send(`/in/oura/${of.appKey}?${query}`, { method: 'GET' });
  const stateOf = async (id: string) => (await db.pool.query('select state, handshaken_at from provider_app where id = $1', [id])).rows[0];

  it('echoes the challenge and makes the app active', async () => {
    const pending = await seed.app(app, { state: 'pending' });
    const reply = await ask(`verification_token=${pending.verificationToken}&challenge=k2v9q7`, pending);
    expect(reply).toMatchObject({
      status: 200,
      body: '{"challenge":"k2v9q7"}',
      headers: { 'content-type': expect.stringMatching(/^application\/json/) },
    });
    expect(await stateOf(pending.id)).toEqual({ state: 'active', handshaken_at: expect.any(Date) });
  });

  it('refuses a wrong or missing token and leaves the app pending', async () => {
    const pending = await seed.app(app, { state: 'pending' });
    for (const query of ['verification_token=guess&challenge=c', 'challenge=c', '']) expect((await ask(query, pending)).status).toBe(401);
    expect(await stateOf(pending.id)).toEqual({ state: 'pending', handshaken_at: null });
  });
});

describe('the metrics', () => {
  it('say what was done, without naming anybody', async () => {
    await person('metric-person');
    await post(ouraEvent({ user_id: 'metric-person' }));
    const { body } = await ingest.send('/metrics', { method: 'GET' });
    expect(body).toMatch(/tributary_ingest_requests_total\{provider="oura",outcome="new",code="",service="ingest"\} \d+/);
    expect(body).toMatch(/outcome="refused",code="signature_mismatch"/);
    expect(body).toMatch(/tributary_ingest_batch_rows_count\{service="ingest"\} \d+/);
    for (const secret of ['metric-person', app.appKey, app.tenantId]) expect(body).not.toContain(secret);
  });
});
