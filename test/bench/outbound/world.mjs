// Tenants with endpoints, and events of about 600 bytes that are owed to them, as rows.
import { randomBytes, randomUUID } from 'node:crypto';
import { KeyRing } from '../../../packages/service-shell/dist/index.js';

export const BODY_BYTES = 600;
const scopeOf = (name) => [`ten_${name}`, 'test'];

/** What the world shares: the keys that secrets are sealed with, and the pool that writes. */
export function openWorld(pool) {
  const keys = `bench:${randomBytes(32).toString('base64')}`;
  const ring = new KeyRing(keys);
  return { pool, keys, ring, revision: 0 };
}

/** A tenant of one endpoint, both of that name. */
export async function addEndpoint({ pool, ring }, name, url) {
  const scope = scopeOf(name);
  await pool.query(`insert into tenant (id, name) values ($1, 'bench')`, scope.slice(0, 1));
  await pool.query('insert into environment (tenant_id, environment) values ($1, $2)', scope);
  await pool.query('insert into endpoint (tenant_id, environment, id, url) values ($1, $2, $3, $4)', [...scope, `ep_${name}`, url]);
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await pool.query('insert into endpoint_secret (tenant_id, environment, endpoint_id, id, sealed) values ($1, $2, $3, $4, $5)', [
    ...scope,
    `ep_${name}`,
    `sec_${name}`,
    ring.seal(secret, `endpoint_secret:sec_${name}`),
  ]);
  return { name, tenantId: scope[0], environment: scope[1], endpointId: `ep_${name}`, url, secret };
}

const HEAD = 120;
const padding = 'a'.repeat(BODY_BYTES - HEAD - 80);

/**
 * Commits `count` events that are due now, one delivery each; `committedAt` in them is the database's clock as it wrote them.
 * @param waits seconds until they are due
 */
export async function owe(world, { tenantId, environment, endpointId }, count, waits = 0) {
  const from = world.revision;
  world.revision += count;
  const prefix = `evt_${randomUUID()}_`;
  await world.pool.query({
    name: 'bench-owe',
    text: `
      with written as (
        insert into event (tenant_id, environment, id, type, revision, occurred_at, data)
        select $1, $2, $3 || n, 'daily.updated', n, clock_timestamp(),
               convert_to('{"committedAt":' || (extract(epoch from clock_timestamp()) * 1000)::numeric(20, 3) || ',"note":"' || $6::text || '"}', 'UTF8')
          from generate_series($4::int + 1, $4::int + $5::int) n
        returning id
      )
      insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at)
      select $1, $2, id, $7, now() + $8 * interval '1 second' from written`,
    values: [tenantId, environment, prefix, from, count, padding, endpointId, waits],
  });
}

export async function pending({ pool }, { tenantId }) {
  const { rows } = await pool.query(
    `select count(*)::int as n from event_delivery where tenant_id = $1 and state in ('pending', 'sending')`,
    [tenantId],
  );
  return rows[0].n;
}

export async function isAllDelivered({ pool }, tenantIds) {
  const { rows } = await pool.query(
    `select not exists (select from event_delivery where tenant_id = any($1) and state in ('pending', 'sending')) as done`,
    [tenantIds],
  );
  return rows[0].done;
}
