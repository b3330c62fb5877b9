import { createHash, randomBytes } from 'node:crypto';

/** A row for each of these, user and day. */
const METRICS = [
  'steps',
  'distance',
  'active_energy',
  'total_energy',
  'resting_heart_rate',
  'hrv_rmssd_night',
  'sleep_duration',
  'heart_rate_avg',
  'floors_climbed',
  'active_duration',
];
const DAYS = 1_000;
const ROWS_OF_USER = METRICS.length * DAYS;
/** Inserted at once: a statement that is not too long, and a log that is not too far behind. */
const USERS_AT_ONCE = 25;

const source = '{"id":"src_oura_ring","type":"ring","manufacturer":"Oura","model":"Gen 4"}';

/** An environment with so many rows of daily values and events, and a key to read them. */
export async function openWorld(pool, { rows, events, say }) {
  const scope = ['ten_bench', 'test'];
  const users = Math.ceil(rows / ROWS_OF_USER);
  await pool.query(`insert into tenant (id, name) values ($1, 'bench')`, scope.slice(0, 1));
  await pool.query('insert into environment (tenant_id, environment) values ($1, $2)', scope);
  await pool.query('insert into revision_counter (tenant_id, environment, last_revision) values ($1, $2, $3)', [...scope, rows + events]);
  const key = `trb_test_${randomBytes(32).toString('base64url')}`;
  await pool.query(`insert into api_key (tenant_id, environment, id, name, prefix, hash) values ($1, $2, 'key_bench', 'bench', $3, $4)`, [
    ...scope,
    key.slice(0, 14),
    createHash('sha256').update(key).digest(),
  ]);
  await pool.query(
    `insert into app_user (tenant_id, environment, id, external_id) select $1, $2, ${userId('n')}, 'person-' || n from generate_series(1, $3::int) n`,
    [...scope, users],
  );
  for (let from = 1; from <= users; from += USERS_AT_ONCE) {
    await pool.query(
      `insert into daily_rollup (tenant_id, environment, user_id, provider, metric, local_date, source_id, value, unit, connection_id, collection,
         provider_record_id, source, date_basis, day_model, utc_offset_s, provisional, version, inferred, revision, content_hash)
       select $1, $2, ${userId('u')}, 'oura', m, '2024-01-01'::date + d, 'src_oura_ring', d * 7 % 9000, '{steps}', 'con_' || u, 'daily_activity',
         'doc-' || u || '-' || d, $5, 'provider_date', 'civil_0400', 3600, false, 1795938764123456 + d, true,
         (u - 1) * ${ROWS_OF_USER} + d * ${METRICS.length} + o, decode(md5(u || m || d), 'hex')
       from generate_series($3::int, $4::int) u, unnest($6::text[]) with ordinality m(m, o), generate_series(0, ${DAYS - 1}) d
       order by u, m, d`,
      [...scope, from, Math.min(users, from + USERS_AT_ONCE - 1), source, METRICS],
    );
  }
  say(`${users * ROWS_OF_USER} daily values of ${users} users`);
  await pool.query(
    `insert into event (tenant_id, environment, id, type, revision, occurred_at, user_id, data)
     select $1, $2, 'evt_' || lpad(n::text, 26, '0'), 'daily.updated', $3 + n, now(), ${userId('n % $5::int + 1')},
       convert_to('{"user":{"id":"' || ${userId('n % $5::int + 1')} || '","externalId":"person-' || n % $5::int + 1 || '"},"connectionId":"con_1","provider":"oura","metric":"steps","kind":"daily_total","localDate":"2026-11-29","dateBasis":"provider_date","dayModel":"civil_0400","utcOffsetS":3600,"source":${source},"revision":' || $3 + n || ',"version":"2026-11-29T07:52:44.123456Z","inferred":true,"provisional":false,"change":"updated","record":{"value":8431,"unit":"{steps}","statistic":"sum","implausible":false}}', 'UTF8')
     from generate_series(1, $4::int) n`,
    [...scope, rows, events, users],
  );
  await pool.query('vacuum analyze daily_rollup, event, app_user, api_key');
  return { key, users, events, rows: users * ROWS_OF_USER };
}

function userId(n) {
  return `'usr_' || lpad((${n})::text, 26, '0')`;
}

/** Paths that read 30 days of one metric of one user; another user, metric and month each time. */
export function readingPaths({ users }, count) {
  let state = 12_345;
  const below = (most) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  return Array.from({ length: count }, () => {
    const day = below(DAYS - 30);
    const at = (n) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10);
    const user = String(below(users) + 1).padStart(26, '0');
    return `/v1/users/usr_${user}/daily?metric=${METRICS[below(METRICS.length)]}&from=${at(day)}&to=${at(day + 29)}`;
  });
}
