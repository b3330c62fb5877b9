import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { oweEvent } from '../../testing/owe-event.js';
import { Seed, type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../testing/seed.js';
import { claimDeliveries } from './claim-deliveries.js';
import { disableEndpoint } from './disable-endpoint.js';
import { findDueEndpoints } from './find-due-endpoints.js';
import { findStillHeld } from './find-still-held.js';
import { isUnderWay } from './is-under-way.js';
import { letGoOfErased } from './let-go-of-erased.js';
import { readEndpointSecrets } from './read-endpoint-secrets.js';
import type { Sql } from '../sql.js';

let db: TestDatabase;
let seed: Seed;
let scope: SeededEnvironment;
let endpoint: SeededEndpoint;

beforeAll(async () => {
  db = await cloneDatabase();
  seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
});
afterAll(async () => {
  await db.drop();
});
beforeEach(async () => {
  scope = await seed.environment();
  endpoint = await seed.endpoint(scope);
});

const ref = (of: SeededEndpoint) => ({ tenantId: of.tenantId, environment: of.environment, endpointId: of.id });

describe('the due-scan', () => {
  const dueIds = async () => {
    const found = await findDueEndpoints(db.pool, 500);
    const ours = found.filter(({ tenantId }) => tenantId === scope.tenantId);
    return ours.map(({ endpointId }) => endpointId).sort();
  };

  it('finds each endpoint once that has a first attempt, a retry or a lease that ran out', async () => {
    const another = () => seed.endpoint(scope);
    const [retry, lease, later, disabled, done] = [await another(), await another(), await another(), await another(), await another()];
    for (const id of ['evt_s1', 'evt_s2', 'evt_s3']) await oweEvent(db.pool, endpoint, id);
    await oweEvent(db.pool, retry, 'evt_s4', { attempts: 4 });
    await oweEvent(db.pool, lease, 'evt_s5', { state: 'sending' });
    await oweEvent(db.pool, later, 'evt_s6', { dueInMs: 5_000 });
    await oweEvent(db.pool, disabled, 'evt_s7');
    await oweEvent(db.pool, done, 'evt_s8', { state: 'failed' });
    expect(await disableEndpoint(db.pool, ref(disabled), 'failed_too_long')).toBe(true);
    expect(await disableEndpoint(db.pool, ref(disabled), 'answered_410')).toBe(false);
    expect(await dueIds()).toEqual([endpoint.id, retry.id, lease.id].sort());
  });

  it('leaves the scan to who is scanning', async () => {
    await oweEvent(db.pool, endpoint, 'evt_s9');
    const scanning = await db.pool.connect();
    await scanning.query('begin');
    await findDueEndpoints(scanning, 500);
    expect(await findDueEndpoints(db.pool, 500)).toEqual([]);
    await scanning.query('commit');
    scanning.release();
    expect(await dueIds()).toEqual([endpoint.id]);
  });
});

/** Blocks that the statement touched, and the plan as text. */
async function explained(run: (sql: Sql) => Promise<unknown>): Promise<{ blocks: number; plan: string }> {
  let found = { blocks: 0, plan: '' };
  const explaining: Sql = {
    async query({ text, values }) {
      const { rows } = await db.pool.query(`explain (analyze, buffers, format json) ${text}`, values);
      const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
      found = { blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], plan: JSON.stringify(plan) };
      return { rows: [] } as never;
    },
  };
  await run(explaining);
  return found;
}

describe('with 20 000 deliveries of one endpoint waiting, and 500 endpoints without any', () => {
  beforeEach(async () => {
    const { tenantId, environment } = scope;
    await db.pool.query(
      `insert into endpoint (tenant_id, environment, id, url) select $1, $2, 'ep_' || n, 'http://127.0.0.1:9/' from generate_series(1, 500) n`,
      [tenantId, environment],
    );
    await db.pool.query(
      `insert into event_delivery (tenant_id, environment, event_id, endpoint_id, attempts, next_attempt_at)
       select $1, $2, 'evt_bulk_' || n, $3, n % 2, now() - interval '1 hour' from generate_series(1, 20000) n`,
      [tenantId, environment, endpoint.id],
    );
    await db.pool.query('vacuum analyze event_delivery');
    await db.pool.query('analyze endpoint');
  });

  it('the scan is two probes for each endpoint', async () => {
    const { blocks, plan } = await explained((sql) => findDueEndpoints(sql, 500));
    expect(plan).toContain('event_delivery_due');
    expect(blocks).toBeLessThan(500 * 2 * 4);
  });

  it('a claim touches what it takes and not what waits', async () => {
    const leaseToken = '00000000-0000-4000-8000-000000000000';
    const { blocks, plan } = await explained((sql) => claimDeliveries(sql, { ...ref(endpoint), limit: 50, leaseToken, leaseMs: 1_000 }));
    expect(plan).toContain('event_delivery_due');
    expect(plan).not.toContain('"Seq Scan on event_delivery"');
    expect(blocks).toBeLessThan(4_000);
  });
});

describe('with 20 000 deliveries of one endpoint under the lease of a slice', () => {
  it('a look at them, and what an erasure asks, touch what they ask for and not what waits', async () => {
    const { tenantId, environment } = scope;
    const leaseToken = '00000000-0000-4000-8000-000000000000';
    await db.pool.query(
      `insert into event_delivery (tenant_id, environment, event_id, endpoint_id, state, lease_token, next_attempt_at)
       select $1, $2, 'evt_look_' || n, $3, 'sending', $4, now() + interval '1 hour' from generate_series(1, 20000) n`,
      [tenantId, environment, endpoint.id, leaseToken],
    );
    await db.pool.query('vacuum analyze event_delivery');
    const eventIds = Array.from({ length: 200 }, (_, n) => `evt_look_${n + 1}`);
    const claim = { ...ref(endpoint), leaseToken, url: endpoint.url, secretIds: [endpoint.secretId], eventIds };
    expect((await findStillHeld(db.pool, claim)).sort()).toEqual([...eventIds].sort());
    for (const ask of [
      (sql: Sql) => findStillHeld(sql, claim),
      (sql: Sql) => isUnderWay(sql, scope, eventIds),
      (sql: Sql) => letGoOfErased(sql, scope, { endpointId: endpoint.id, eventIds }),
    ]) {
      const { blocks, plan } = await explained(ask);
      expect(plan).toContain('event_delivery_pkey');
      expect(plan).not.toContain('"Seq Scan","Parallel Aware":false,"Async Capable":false,"Relation Name":"event_delivery"');
      expect(blocks).toBeLessThan(4_000);
    }
  });
});

describe('secrets of an endpoint', () => {
  it('are those that have not retired, newest first', async () => {
    const hour = 3_600_000;
    await db.pool.query("update endpoint_secret set created_at = now() - interval '1 day'");
    const retiring = await seed.endpointSecret(endpoint, { retiresAt: new Date(Date.now() + hour) });
    await db.pool.query("update endpoint_secret set created_at = now() - interval '1 hour' where id = $1", [retiring.id]);
    await seed.endpointSecret(endpoint, { retiresAt: new Date(Date.now() - hour) });
    const newest = await seed.endpointSecret(endpoint);
    const secrets = await readEndpointSecrets(db.pool, ref(endpoint));
    expect(secrets.map(({ id }) => id)).toEqual([newest.id, retiring.id, endpoint.secretId]);
  });
});
