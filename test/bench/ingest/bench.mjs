// Durable ingest against (b) the same process without a store and (c) the same route with one TypeORM insert for each request.
// 64 connections, signed bodies of 1 KB, every one a new delivery about one of 2,000 people.
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { KeyRing } from '../../../packages/service-shell/dist/index.js';
import { startContender } from '../contender.mjs';
import { drive } from '../load.mjs';

const CONNECTIONS = 64;
const SUBJECTS = 2_000;
const BODY_BYTES = 1_024;
const APP_KEY = 'bench-app';
const root = path.resolve(import.meta.dirname, '../../..');

export const builds = ['apps/ingest', 'migrations', 'packages/embedded-services'];
export const quick = { rounds: 3, seconds: 2, warmSeconds: 1.5 };
export const full = { rounds: 7, seconds: 8, warmSeconds: 4 };

export async function prepare({ url, pool }) {
  const keys = `bench:${randomBytes(32).toString('base64')}`;
  const secret = randomBytes(24).toString('hex');
  const scope = ['ten_bench', 'test'];
  await pool.query(`insert into tenant (id, name) values ($1, 'bench')`, scope.slice(0, 1));
  await pool.query('insert into environment (tenant_id, environment) values ($1, $2)', scope);
  await pool.query(
    `insert into provider_app (tenant_id, environment, id, provider, app_key, client_id, state)
     values ($1, $2, 'app_bench', 'oura', $3, 'bench', 'active')`,
    [...scope, APP_KEY],
  );
  await pool.query(
    `insert into provider_app_secret (tenant_id, environment, provider_app_id, id, purpose, sealed)
     values ($1, $2, 'app_bench', 'sec_bench', 'client_secret', $3)`,
    [...scope, new KeyRing(keys).seal(secret, 'provider_app_secret:sec_bench')],
  );
  await pool.query(
    `insert into app_user (tenant_id, environment, id, external_id)
     select $1, $2, 'usr_' || n, 'person-' || n from generate_series(1, $3::int) n`,
    [...scope, SUBJECTS],
  );
  await pool.query(
    `insert into connection (tenant_id, environment, id, user_id, provider, provider_app_id, subject_id)
     select $1, $2, 'con_' || n, 'usr_' || n, 'oura', 'app_bench', 'subject-' || n from generate_series(1, $3::int) n`,
    [...scope, SUBJECTS],
  );
  await pool.query('vacuum analyze');
  return {
    pool,
    secret,
    env: { DATABASE_URL: url, REDIS_URL: process.env.REDIS_URL ?? '', TRIBUTARY_KEYS: keys, INGEST_PORT: '0', LOG_LEVEL: 'info' },
  };
}

const contender = (name, file, deliveriesStored) => ({
  name,
  async start(world) {
    const running = await startContender(path.join(root, file), world.env);
    let rate = 8_000;
    return {
      ...running,
      async round(seconds) {
        await world.pool.query('truncate webhook_delivery, webhook_notice');
        const requests = signedRequests(world.secret, Math.ceil(rate * seconds * 1.5));
        const more = () => signedRequests(world.secret, 1)[0];
        const sample = await drive({ origin: running.origin, connections: CONNECTIONS, seconds, next: () => requests.pop() ?? more() });
        rate = sample.perSecond;
        const { 200: accepted = 0, ...others } = sample.statuses;
        if (accepted === 0 || Object.keys(others).length > 0) throw new Error(`${name} answered ${JSON.stringify(sample.statuses)}`);
        const { rows } = await world.pool.query('select count(*)::int as n from webhook_delivery');
        const expected = deliveriesStored ? accepted : 0;
        if (rows[0].n !== expected) throw new Error(`${name} acknowledged ${accepted} deliveries and stored ${rows[0].n}`);
        return sample;
      },
    };
  },
});

export const contenders = [
  contender('durable', 'apps/ingest/dist/main.js', true),
  contender('noDatabase', 'test/bench/ingest/no-database.mjs', false),
  contender('rowPerRequest', 'test/bench/ingest/row-per-request.mjs', true),
];

export function summarise({ durable, noDatabase, rowPerRequest }, median) {
  const over = (others, figure) => median(durable.map((sample, round) => figure(sample) / figure(others[round])));
  return {
    ratios: {
      vsNoDatabase: over(noDatabase, (sample) => sample.perSecond),
      vsRowPerRequest: over(rowPerRequest, (sample) => sample.perSecond),
      p99VsNoDatabase: over(noDatabase, (sample) => sample.p99Ms),
    },
    latency: { p50Ms: median(durable.map((sample) => sample.p50Ms)), p99Ms: median(durable.map((sample) => sample.p99Ms)) },
    memoryOf: 'durable',
  };
}

/** Made before the clock starts: the generator shares its cores with what it measures. */
function signedRequests(secret, count) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const path = `/in/oura/${APP_KEY}`;
  return Array.from({ length: count }, () => {
    const event = JSON.stringify({
      event_type: 'update',
      data_type: 'daily_activity',
      object_id: randomUUID(),
      event_time: new Date().toISOString(),
      user_id: `subject-${1 + Math.floor(Math.random() * SUBJECTS)}`,
      padding: '',
    });
    const body = Buffer.from(event.replace('"padding":""', `"padding":"${'x'.repeat(BODY_BYTES - event.length)}"`));
    const signature = createHmac('sha256', secret).update(timestamp).update(body).digest('hex').toUpperCase();
    return { path, body, headers: { 'content-type': 'application/json', 'x-oura-timestamp': timestamp, 'x-oura-signature': signature } };
  });
}
