// A tenant with people at a provider, as rows; and pings about them, stored as ingest stores them.
import { randomBytes, randomUUID } from 'node:crypto';
import { KeyRing } from '../../../packages/service-shell/dist/index.js';
import { acceptDeliveries } from '../../../packages/storage/dist/index.js';

export const scope = { tenantId: 'ten_bench', environment: 'test' };
const own = [scope.tenantId, scope.environment];
/** Deliveries of one statement, about what ingest batches under load. */
const BATCH = 250;

/** One person and connection for each window; a debounce as every tenant begins with. */
export async function seedWorld(pool, { people, debounceMs, maxWaitMs }) {
  const keys = `bench:${randomBytes(32).toString('base64')}`;
  const ring = new KeyRing(keys);
  await pool.query(`insert into tenant (id, name) values ($1, 'bench')`, [scope.tenantId]);
  await pool.query('insert into environment (tenant_id, environment, debounce_ms, max_wait_ms) values ($1, $2, $3, $4)', [
    ...own,
    debounceMs,
    maxWaitMs,
  ]);
  await pool.query('insert into revision_counter (tenant_id, environment) values ($1, $2)', own);
  await pool.query(
    `insert into provider_app (tenant_id, environment, id, provider, app_key, client_id, state, sandbox)
     values ($1, $2, 'app_bench', 'oura', 'bench-app', 'bench', 'active', true)`,
    own,
  );
  await pool.query(
    `insert into app_user (tenant_id, environment, id, external_id) select $1, $2, 'usr_' || n, 'person-' || n from generate_series(1, $3::int) n`,
    [...own, people],
  );
  await pool.query('analyze app_user');
  const tokens = Array.from({ length: people }, (_, n) => ring.seal('token', `connection:con_${n + 1}:access`));
  await pool.query(
    `insert into connection (tenant_id, environment, id, user_id, provider, provider_app_id, subject_id, access_token, refresh_token,
       token_expires_at, next_sweep_at, scopes)
     select $1, $2, 'con_' || n, 'usr_' || n, 'oura', 'app_bench', 'subject-' || n, t, t, now() + interval '1 day', now() + interval '1 day',
       array['daily', 'personal'] from unnest($3::bytea[]) with ordinality as x (t, n)`,
    [...own, tokens],
  );
  await pool.query('vacuum analyze');
  return { keys };
}

/** Nothing has come in, nothing is waiting. */
export async function emptyWindows(pool) {
  await pool.query('truncate webhook_delivery, webhook_notice, fetch_window');
}

let version = 1;

/** Pings in turn about each of `windows` windows, made before the clock starts. Each is a delivery of its own with a version of its own. */
export function pings(count, windows) {
  return Array.from({ length: count }, (_, n) => {
    const of = 1 + (n % windows);
    version += 1;
    return {
      ...scope,
      providerAppId: 'app_bench',
      deliveryId: randomUUID(),
      reopenable: false,
      signedAt: Date.now(),
      grade: 'signed',
      secretId: 'sec_bench',
      bodyHash: randomBytes(32),
      rawBody: Buffer.from('{}'),
      notices: [
        {
          subjectId: `subject-${of}`,
          collection: 'daily_activity',
          kind: 'changed',
          window: { kind: 'object', id: `day-of-${of}` },
          version: 1_700_000_000_000_000 + version,
          subjectHashes: [],
        },
      ],
    };
  });
}

export async function arrive(pool, deliveries) {
  for (let at = 0; at < deliveries.length; at += BATCH) {
    const answers = await acceptDeliveries(pool, deliveries.slice(at, at + BATCH));
    const strange = answers.find((answer) => answer !== 'new');
    if (strange !== undefined) throw new Error(`a new delivery was taken for ${strange}`);
  }
}
