import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { Webhook } from 'standardwebhooks';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededApp, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type RunningIngest, startIngest } from '../testing/start-ingest.js';

// doubles: none.  oracles: answers, the app's row, how often it was written.
let db: TestDatabase;
let ingest: RunningIngest;
let seed: Seed;
beforeAll(async () => {
  db = await cloneDatabase();
  seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
  await db.pool.query(`
    create table written (app_id text);
    create function note_write() returns trigger language plpgsql as $$ begin insert into written values (new.id); return new; end $$;
    create trigger note_write after update on provider_app for each row execute function note_write();`);
  ingest = await startIngest(db.url);
});
afterAll(async () => {
  await ingest.close();
  await db.drop();
});

const appOf = async (provider: string, state: 'pending' | 'active' | 'disabled' = 'pending') =>
  seed.app(await seed.environment(), { provider, state });
const post = (app: SeededApp, body: string, headers: Record<string, string> = {}) =>
  ingest.send(`/in/${app.provider}/${app.appKey}`, { headers: { 'content-type': 'application/json', ...headers }, body });
const stateOf = async ({ id }: SeededApp) =>
  (await db.pool.query('select state, handshaken_at is not null as shaken from provider_app where id = $1', [id])).rows[0];
const writes = async ({ id }: SeededApp) =>
  (await db.pool.query<{ n: number }>('select count(*)::int as n from written where app_id = $1', [id])).rows[0]?.n;
const pending = { state: 'pending', shaken: false };
const active = { state: 'active', shaken: true };

/** The write is not waited for by the one who was answered. */
async function soon(app: SeededApp): Promise<unknown> {
  for (let tries = 0; tries < 200 && (await stateOf(app)).state === 'pending'; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return stateOf(app);
}

const whoopEvent = (fields: object = {}) =>
  JSON.stringify({ user_id: 4417301, id: '4b6d0c0e-0000-4000-8000-000000000001', type: 'sleep.updated', trace_id: 't1', ...fields });
const whoopSign = (body: string, secret: string) => {
  const at = String(Date.now());
  return {
    'x-whoop-signature-timestamp': at,
    'x-whoop-signature': createHmac('sha256', secret).update(at).update(body).digest('base64'),
  };
};
const whoop = (app: SeededApp, body: string, secret = app.clientSecret) => post(app, body, whoopSign(body, secret));

describe('an app of a provider without a handshake', () => {
  it.each([
    ['about somebody', whoopEvent()],
    ['of a type that we do not read', whoopEvent({ type: 'body.updated' })],
    ['that cannot be read', '{"user_id":'],
  ])('is active from its first signed delivery on, one %s too', async (_what, body) => {
    const app = await appOf('whoop');
    expect((await whoop(app, body)).status).toBe(200);
    expect(await soon(app)).toEqual(active);
  });

  it('is written once, however many come at once and later', async () => {
    const app = await appOf('whoop');
    await seed.connection(app, await seed.user(app), { subjectId: '4417301' });
    const send = (n: number) => whoop(app, whoopEvent({ trace_id: `t${n}` }));
    await Promise.all(Array.from({ length: 40 }, (_, n) => send(n)));
    expect(await soon(app)).toEqual(active);
    await Promise.all(Array.from({ length: 40 }, (_, n) => send(n)));
    expect(await writes(app)).toBe(1);
  });

  it('is active by a message of a Standard Webhooks source in the same way', async () => {
    const app = await appOf('standard-webhooks');
    const { value } = await seed.appSecret(app, { purpose: 'webhook_secret', value: `whsec_${Buffer.alloc(24, 3).toString('base64')}` });
    const at = new Date();
    const body = JSON.stringify({ type: 'sleep.created', timestamp: at.toISOString(), data: { userId: 'nobody', id: '1' } });
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(value).sign('msg_1', at, body),
    };
    expect((await post(app, body, headers)).status).toBe(200);
    expect(await soon(app)).toEqual(active);
  });

  it('waits on after a forged delivery, and an unsigned one at the right address', async () => {
    const forged = await appOf('whoop');
    expect((await whoop(forged, whoopEvent(), 'guessed')).status).toBe(401);
    const unsigned = await appOf('strava');
    const event = {
      object_type: 'activity',
      object_id: 1,
      aspect_type: 'create',
      owner_id: 1,
      subscription_id: 1,
      event_time: 1_795_936_364,
    };
    expect((await post(unsigned, JSON.stringify(event))).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([await stateOf(forged), await stateOf(unsigned)]).toEqual([pending, pending]);
  });

  it('that is active or disabled is not written', async () => {
    const known = await appOf('whoop', 'active');
    expect((await whoop(known, whoopEvent())).status).toBe(200);
    const disabled = await appOf('whoop', 'disabled');
    expect((await whoop(disabled, whoopEvent())).status).toBe(404);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([await writes(known), await writes(disabled)]).toEqual([0, 0]);
  });
});
