// Durable ingest against (b) the same process without a store, and (c) the same route with its statement sent for each request by itself
// through TypeORM. On demand (`BENCH_ONLY=durable,ormPerRequest`, any of the names below): (d) as (c), but prepared, around TypeORM, (e) less
// than the route has to do: one bare insert for each request through TypeORM, and (f) the work of the route done for each request by
// TypeORM's own means.
// 64 connections, signed bodies of 1 KB, every one a new delivery about one of 100,000 people. Beside it the durable one alone with the
// worst mix: repeats, strangers and forgeries.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { KeyRing } from '../../../packages/service-shell/dist/index.js';
import { startContender } from '../contender.mjs';
import { drive } from '../load.mjs';
import { fair, requestStream, worst } from './requests.mjs';

const CONNECTIONS = 64;
const SUBJECTS = 100_000;
const APP_KEY = 'bench-app';
const root = path.resolve(import.meta.dirname, '../../..');

export const builds = ['apps/ingest', 'migrations', 'packages/embedded-services'];
export const quick = { rounds: 3, seconds: 3, warmSeconds: 8, soakSeconds: 0 };
export const full = { rounds: 5, seconds: 8, warmSeconds: 12, soakSeconds: 60 };

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
  // Without statistics the foreign key below may be checked by the wrong index, which takes minutes.
  await pool.query('analyze app_user');
  await pool.query(
    `insert into connection (tenant_id, environment, id, user_id, provider, provider_app_id, subject_id, access_token, refresh_token)
     select $1, $2, 'con_' || n, 'usr_' || n, 'oura', 'app_bench', 'subject-' || n, $4, $4 from generate_series(1, $3::int) n`,
    [...scope, SUBJECTS, randomBytes(120)],
  );
  await pool.query('vacuum analyze');
  return {
    pool,
    secret,
    env: { DATABASE_URL: url, REDIS_URL: process.env.REDIS_URL ?? '', TRIBUTARY_KEYS: keys, INGEST_PORT: '0', LOG_LEVEL: 'info' },
  };
}

/** @param stores what is said to be kept is looked for afterwards, in the tables. */
const contender = (name, file, { stores, mix = fair }) => ({
  name,
  async start(world) {
    const running = await startContender(path.join(root, file), world.env);
    let rate = 8_000;
    return {
      ...running,
      async round(seconds) {
        await world.pool.query('truncate webhook_delivery, webhook_notice');
        const { secret } = world;
        const stream = requestStream({
          secret,
          appKey: APP_KEY,
          subjects: SUBJECTS,
          mix,
          count: Math.ceil(rate * Math.min(seconds, 10) * 1.5),
        });
        const cpu = await running.cpuSeconds();
        const sample = await drive({ origin: running.origin, connections: CONNECTIONS, seconds, next: stream.next });
        sample.cpuMicros = (((await running.cpuSeconds()) - cpu) * 1e6) / sample.requests;
        rate = sample.perSecond;
        const { 200: accepted = 0, 401: refused = 0, ...others } = sample.statuses;
        const { sent } = stream;
        if (accepted !== sample.requests - sent.forged || refused !== sent.forged || Object.keys(others).length > 0)
          throw new Error(`${name} answered ${JSON.stringify(sample.statuses)} to ${JSON.stringify(sent)}`);
        for (const table of stores) {
          const { rows } = await world.pool.query(`select count(*)::int as n from ${table}`);
          if (rows[0].n !== sent.new) throw new Error(`${name} acknowledged ${sent.new} new deliveries and ${table} holds ${rows[0].n}`);
        }
        return sample;
      },
    };
  },
});

const ours = 'apps/ingest/dist/main.js';
const both = ['webhook_delivery', 'webhook_notice'];
const field = [
  contender('durable', ours, { stores: both }),
  contender('noDatabase', 'test/bench/ingest/no-database.mjs', { stores: [] }),
  contender('rowPerRequest', 'test/bench/ingest/row-per-request.mjs', { stores: both }),
  contender('worstMix', ours, { stores: both, mix: worst }),
  contender('preparedPerRequest', 'test/bench/ingest/prepared-per-request.mjs', { stores: both }),
  contender('bareInsert', 'test/bench/ingest/bare-insert.mjs', { stores: ['webhook_delivery'] }),
  contender('ormPerRequest', 'test/bench/ingest/orm-per-request.mjs', { stores: both }),
];
/** A process that pauses while many others have their rounds is a cold one in its own. */
const wanted = process.env.BENCH_ONLY?.split(',') ?? ['durable', 'noDatabase', 'rowPerRequest', 'worstMix'];
export const contenders = field.filter(({ name }) => wanted.includes(name));
/** Whose memory is looked at over a long round. */
export const soaked = 'durable';

export function summarise(samples, median) {
  const { durable, worstMix } = samples;
  const over = (others, figure) =>
    others && durable ? median(durable.map((sample, round) => figure(sample) / figure(others[round]))) : undefined;
  const speed = (sample) => sample.perSecond;
  const each = (figure, title) =>
    Object.fromEntries(Object.entries(samples).map(([name, all]) => [title(name), median(all.map((sample) => sample[figure]))]));
  const { durableP50Ms: p50Ms } = each('p50Ms', (name) => `${name}P50Ms`);
  const { durableP99Ms: p99Ms, ...others } = each('p99Ms', (name) => `${name}P99Ms`);
  return {
    ratios: {
      vsNoDatabase: over(samples.noDatabase, speed),
      vsRowPerRequest: over(samples.rowPerRequest, speed),
      p99VsNoDatabase: over(samples.noDatabase, (sample) => sample.p99Ms),
      worstMixVsDurable: worstMix && 1 / over(worstMix, speed),
      vsPreparedPerRequest: over(samples.preparedPerRequest, speed),
      vsBareInsert: over(samples.bareInsert, speed),
      vsOrmPerRequest: over(samples.ormPerRequest, speed),
    },
    latency: { p50Ms, p99Ms, ...others },
    cpu: each('cpuMicros', (name) => `${name}Micros`),
  };
}
