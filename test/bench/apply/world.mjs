// What every contender writes: the days of many people, thirty records to a window, all of them other than they were. Each contender has
// tenants of its own in the same tables, so that all meet the same indexes at the same size.
import { randomUUID } from 'node:crypto';

export const ROWS = 30;
const METRICS = [
  ['steps', '{steps}'],
  ['distance', 'm'],
  ['active_energy', 'kcal'],
  ['total_energy', 'kcal'],
  ['basal_energy', 'kcal'],
  ['floors_climbed', '{flight}'],
  ['resting_heart_rate', '/min'],
  ['heart_rate_avg', '/min'],
  ['heart_rate_max', '/min'],
  ['respiratory_rate_night', '/min'],
];
const DAYS = ['2026-09-14', '2026-09-15', '2026-09-16'];
const SOURCE = { id: 'src_watch', type: 'watch', manufacturer: 'Acme', model: 'One' };
export const COLLECTION = 'daily_activity';

/** The people of one contender, spread over its tenants. */
export async function populate(pool, { name, tenants, endpoints = 0 }, people) {
  for (let n = 0; n < tenants; n += 1) {
    const scope = [tenantOf(name, n), 'live'];
    await pool.query(`insert into tenant (id, name) values ($1, 'bench')`, scope.slice(0, 1));
    await pool.query('insert into environment (tenant_id, environment) values ($1, $2)', scope);
    await pool.query('insert into revision_counter (tenant_id, environment) values ($1, $2)', scope);
    await pool.query(
      `insert into endpoint (tenant_id, environment, id, url)
       select $1, $2, 'ep_' || n, 'https://customer.example/hook' from generate_series(1, $3::int) n`,
      [...scope, endpoints],
    );
    await pool.query(
      `insert into provider_app (tenant_id, environment, id, provider, app_key, client_id, state)
       values ($1, $2, 'app_bench', 'oura', $1, 'bench', 'active')`,
      scope,
    );
    const each = [...scope, n, tenants, people];
    await pool.query(
      `insert into app_user (tenant_id, environment, id, external_id)
       select $1, $2, 'usr_' || p, 'person-' || p from generate_series($3::int, $5::int - 1, $4::int) p`,
      each,
    );
    await pool.query(
      `insert into connection (tenant_id, environment, id, user_id, provider, provider_app_id, subject_id, access_token, refresh_token)
       select $1, $2, 'con_' || p, 'usr_' || p, 'oura', 'app_bench', $1 || 'subject-' || p, '', '' from generate_series($3::int, $5::int - 1, $4::int) p`,
      each,
    );
    await pool.query(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, notices, due_at)
       select $1, $2, 'con_' || p, $6, 'days', $7, '2026-09-17', 1, now() from generate_series($3::int, $5::int - 1, $4::int) p`,
      [...each, COLLECTION, DAYS[0]],
    );
  }
}

/** As if the windows had just been claimed: reads of them may be written. */
export async function claimAll(pool, name) {
  const { rows } = await pool.query(
    `update fetch_window set state = 'fetching', lease_token = gen_random_uuid() where starts_with(tenant_id, $1)
     returning connection_id, lease_token, tenant_id`,
    [`ten_${name}_`],
  );
  return new Map(rows.map((row) => [row.connection_id, { leaseToken: row.lease_token, tenantId: row.tenant_id }]));
}

export function tenantOf(name, n) {
  return `ten_${name}_${n}`;
}

/** What one read of a person shows in one round: no value is as it was. */
export function recordsOf(person, round) {
  return DAYS.flatMap((localDate, day) =>
    METRICS.map(([metric], at) => ({
      kind: 'daily',
      metric,
      value: 40 + ((person * 7 + at * 3 + day + round) % 29),
      providerRecordId: `doc-${person}-${day}`,
      source: SOURCE,
      localDate,
      dateBasis: 'provider_date',
      dayModel: 'civil',
      utcOffsetS: 7200,
      provisional: false,
      version: undefined,
      inputHash: undefined,
    })),
  );
}

export function windowOf(name, tenants, person, lease) {
  return {
    tenantId: tenantOf(name, person % tenants),
    environment: 'live',
    connectionId: `con_${person}`,
    collection: COLLECTION,
    windowKind: 'days',
    windowStart: DAYS[0],
    windowEnd: '2026-09-17',
    leaseToken: lease?.leaseToken ?? randomUUID(),
    priority: 0,
    expects: 'changed',
    requestedVersion: undefined,
    attempts: 0,
    contradictions: 0,
    userId: `usr_${person}`,
    externalId: `person-${person}`,
    provider: 'oura',
    providerAppId: 'app_bench',
  };
}

/** The same for everybody: when and how it was read. */
export function evidenceOf(window, now) {
  return {
    readVersion: now * 1000,
    fresh: { from: now, to: now + 1 },
    via: 'pull',
    complete: true,
    clockDomain: 'oura',
    normalizerVersion: 1,
    collection: window.collection,
    owner: { userId: window.userId, connectionId: window.connectionId, provider: window.provider },
  };
}
