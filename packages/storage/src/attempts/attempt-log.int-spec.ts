import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { oweEvent } from '../../testing/owe-event.js';
import { Seed, type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../testing/seed.js';
import { claimDeliveries } from '../deliveries/claim-deliveries.js';
import { type DeliveryResult, recordResults } from '../deliveries/record-results.js';
import { purges } from '../erasure/registry.js';
import { replayEvent } from '../reading/replay-event.js';
import { keepAttemptPartitions } from './keep-attempt-partitions.js';
import { searchAttempts } from './search-attempts.js';

const DAY_MS = 86_400_000;
const none = { lastSuccessAt: undefined, firstFailureAt: undefined, failures: 0 };

let db: TestDatabase;
let seed: Seed;
let scope: SeededEnvironment;
let endpoint: SeededEndpoint;

beforeAll(async () => {
  db = await cloneDatabase();
  seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
});
afterAll(() => db.drop());
beforeEach(async () => {
  scope = await seed.environment();
  endpoint = await seed.endpoint(scope);
});

const ref = () => ({ tenantId: scope.tenantId, environment: scope.environment, endpointId: endpoint.id });
const attemptsOf = async (id: string) =>
  (
    await db.pool.query<{ n: number; part: string }>(
      `select n, replace(tableoid::regclass::text, 'attempt_parts.', '') as part from delivery_attempt where event_id = $1 order by n`,
      [id],
    )
  ).rows;
/** Claims what is due and records one attempt of each that began then. */
async function attempt(startedAt: number, state: DeliveryResult['state']): Promise<void> {
  const leaseToken = randomUUID();
  const claimed = await claimDeliveries(db.pool, { ...ref(), limit: 50, leaseToken, leaseMs: 15_000 });
  const results = claimed.map(({ eventId }) => ({
    eventId,
    state,
    waitMs: 0,
    attempt: { startedAt, durationMs: 3, outcome: 'http_error', status: 500, responseHeaders: undefined, responseBody: undefined },
  }));
  expect(await recordResults(db.pool, { ...ref(), leaseToken, results, health: none })).toMatchObject({ recorded: claimed.length });
}
const partOf = (ms: number) => `delivery_attempt_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;

describe('the log of attempts', () => {
  it('numbers the attempts of a delivery one by one, over retries, days and two replays', async () => {
    const first = Date.UTC(2032, 5, 1, 23, 59);
    await keepAttemptPartitions(db.pool, first);
    await oweEvent(db.pool, endpoint, 'evt_numbered');
    await attempt(first, 'pending');
    await attempt(first + 120_000, 'failed');
    for (const day of [1, 2]) {
      expect(await replayEvent(db.pool, scope, 'evt_numbered', endpoint.id)).toHaveLength(1);
      // A replay may begin to count anew for the schedule.
      await db.pool.query(`update event_delivery set attempts = 0 where event_id = 'evt_numbered'`);
      await attempt(first + day * DAY_MS, 'delivered');
    }
    expect(await attemptsOf('evt_numbered')).toEqual([
      { n: 1, part: partOf(first) },
      { n: 2, part: partOf(first + DAY_MS) },
      { n: 3, part: partOf(first + DAY_MS) },
      { n: 4, part: partOf(first + 2 * DAY_MS) },
    ]);
  });

  it('numbers go on from the attempts that a delivery had before it was numbered', async () => {
    await oweEvent(db.pool, endpoint, 'evt_before', { attempts: 4 });
    await attempt(Date.now(), 'delivered');
    expect((await attemptsOf('evt_before')).map(({ n }) => n)).toEqual([5]);
  });

  it('loses no attempt of a day that has no partition', async () => {
    await oweEvent(db.pool, endpoint, 'evt_homeless');
    await attempt(Date.UTC(2040, 0, 1), 'delivered');
    expect(await attemptsOf('evt_homeless')).toEqual([{ n: 1, part: 'delivery_attempt_rest' }]);
  });

  it("an erasure takes a person's attempts out of every partition, the default one too", async () => {
    const at = Date.UTC(2033, 2, 10, 12);
    await keepAttemptPartitions(db.pool, at);
    const user = await seed.user(scope);
    await oweEvent(db.pool, endpoint, 'evt_mine', { userId: user.id });
    await oweEvent(db.pool, endpoint, 'evt_theirs', { userId: 'usr_other' });
    for (const days of [0, 1, 2, 90]) await attempt(at + days * DAY_MS, 'pending');
    expect(await attemptsOf('evt_mine')).toHaveLength(4);
    const purge = purges.find(({ name }) => name === 'delivery_attempt');
    const { rowCount } = await db.pool.query(purge?.text ?? '', [scope.tenantId, scope.environment, user.id]);
    expect(rowCount).toBe(4);
    expect(await attemptsOf('evt_mine')).toEqual([]);
    expect((await attemptsOf('evt_theirs')).map(({ part }) => part)).toEqual([
      ...[0, 1, 2].map((days) => partOf(at + days * DAY_MS)),
      'delivery_attempt_rest',
    ]);
  });
});

describe('the search', () => {
  const wide = { endpointId: undefined, eventId: undefined, statusClass: undefined, outcome: undefined, from: undefined, to: undefined };

  /** Plan of a search, as text. */
  async function planOf(search: Parameters<typeof searchAttempts>[2]): Promise<string> {
    let plan = '';
    const explaining = {
      query: async ({ text, values }: { text: string; values: unknown[] }) => {
        const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>({ text: `explain ${text}`, values });
        plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        return { rows: [], rowCount: 0 };
      },
    };
    await searchAttempts(explaining as never, scope, search);
    return plan;
  }

  it('finds an index for each wish, and reads no partition of a day that was not asked for', async () => {
    const at = Date.UTC(2034, 6, 1);
    await keepAttemptPartitions(db.pool, at);
    // Enough rows that an index is worth it: hardly any failed, and the endpoint is one of a hundred.
    await db.pool.query(
      `insert into delivery_attempt (tenant_id, environment, event_id, endpoint_id, n, started_at, duration_ms, outcome, status_code)
       select $1, $2, 'evt_' || i, case when i % 100 = 0 then $3 else 'ep_' || i % 100 end, 1, $4::timestamptz + i * interval '1 second', 5,
         case when i % 500 = 0 then 'timeout' else 'delivered' end, case when i % 500 = 0 then null else 200 end
       from generate_series(1, 20000) i`,
      [scope.tenantId, scope.environment, endpoint.id, new Date(at)],
    );
    await db.pool.query('analyze delivery_attempt');
    const day = { from: new Date(at), to: new Date(at + DAY_MS), after: undefined, limit: 51 };
    const expected: [Partial<Parameters<typeof searchAttempts>[2]>, string][] = [
      [{}, 'delivery_attempt_by_time'],
      [{ endpointId: endpoint.id }, 'delivery_attempt_by_endpoint'],
      [{ eventId: 'evt_7' }, 'delivery_attempt_pkey'],
      [{ statusClass: 'none' }, 'delivery_attempt_failed_by_time'],
      [{ endpointId: endpoint.id, outcome: 'timeout' }, 'delivery_attempt_failed'],
    ];
    for (const [wish, index] of expected) {
      const plan = await planOf({ ...wide, ...day, ...wish });
      const used = /(?:using|Bitmap Index Scan on) (\S+)/.exec(plan)?.[1];
      const { rows } = await db.pool.query('select inhparent::regclass::text as index from pg_inherits where inhrelid = $1::regclass', [
        `attempt_parts.${used}`,
      ]);
      expect([wish, rows[0]?.index]).toEqual([wish, index]);
      expect(plan).not.toContain('Seq Scan');
      expect(plan).not.toContain(partOf(at + DAY_MS));
      expect(plan).not.toContain('delivery_attempt_rest');
    }
  });
});
