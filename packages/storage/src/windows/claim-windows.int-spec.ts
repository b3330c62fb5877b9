import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { Seed, type SeededConnection, type SeededEnvironment, TEST_KEYS } from '../../testing/seed.js';
import type { Sql, Statement } from '../sql.js';
import { claimWindows } from './claim-windows.js';
import { fileNotices } from './file-notices.js';
import { findDueLanes } from './find-due-lanes.js';

const WAITING = 30_000;
const size = { limit: 20, leaseMs: 30_000 };

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

describe('claiming windows', () => {
  let db: TestDatabase;
  let scope: SeededEnvironment;
  let connection: SeededConnection;
  beforeAll(async () => {
    db = await cloneDatabase();
    const seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
    scope = await seed.environment();
    connection = await seed.connection(await seed.app(scope), await seed.user(scope));
  });
  afterAll(() => db.drop());

  const insert = (id: string, window: { priority?: number; dueInS?: number; state?: string; lane?: number } = {}) =>
    db.pool.query(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, priority, state,
         lane, due_at)
       values ($1, $2, $3, 'sleep', 'object', $4, $4, $5, $6, $7, now() + $8 * interval '1 s')`,
      [
        scope.tenantId,
        scope.environment,
        connection.id,
        id,
        window.priority ?? 0,
        window.state ?? 'waiting',
        window.lane ?? 0,
        window.dueInS ?? -1,
      ],
    );
  const claim = async (limit: number) =>
    (await claimWindows(db.pool, { ...scope, lane: 0 }, { ...size, limit })).map((window) => window.windowStart).sort();

  it('takes live work before backfill and sweeps, the longest due first, and no window of another lane or of later', async () => {
    await insert('sweep', { priority: 2, dueInS: -90 });
    await insert('backfill', { priority: 1, dueInS: -60 });
    await insert('live', { dueInS: -1 });
    await insert('older', { dueInS: -5 });
    await insert('later', { dueInS: 60 });
    await insert('elsewhere', { lane: 1 });
    await insert('parked', { state: 'parked' });
    expect(await claim(1)).toEqual(['older']);
    expect(await claim(2)).toEqual(['backfill', 'live']);
    expect(await claim(9)).toEqual(['sweep']);
    expect(await claim(9)).toEqual([]);
  });

  it('two at once share what is due and take nothing twice', async () => {
    await db.pool.query('truncate fetch_window');
    for (let n = 0; n < 30; n += 1) await insert(`w-${n}`, { priority: n % 3 });
    const taken = (await Promise.all(Array.from({ length: 4 }, () => claim(10)))).flat();
    expect(new Set(taken).size).toBe(taken.length);
    expect([...taken, ...(await claim(30))].sort()).toHaveLength(30);
  });

  it('C032: a claim whose process was killed is due again when its lease ends, under another token', async () => {
    await db.pool.query('truncate fetch_window');
    await insert('w');
    const [first] = await claimWindows(db.pool, { ...scope, lane: 0 }, size);
    expect(await claim(1)).toEqual([]);
    await db.pool.query(`update fetch_window set due_at = now() - interval '1 ms'`);
    const [second] = await claimWindows(db.pool, { ...scope, lane: 0 }, size);
    expect(second?.windowStart).toBe('w');
    expect(second?.leaseToken).not.toBe(first?.leaseToken);
  });

  describe(`beside ${WAITING} windows that wait for later`, () => {
    beforeAll(async () => {
      await db.pool.query('truncate fetch_window');
      await db.pool.query(
        `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, priority, due_at)
         select $1, $2, $3, 'sleep', 'object', n, n, n % 3, now() + interval '1 hour' + n * interval '1 ms' from generate_series(1, $4::int) n`,
        [scope.tenantId, scope.environment, connection.id, WAITING],
      );
      for (let n = 0; n < 5; n += 1) await insert(`due-${n}`, { priority: n % 3 });
      await db.pool.query('analyze fetch_window');
    });

    /** What a statement read of the table, by the server's own account. */
    async function readBy(run: (sql: Sql) => Promise<unknown>): Promise<{ rows: number; indexes: string[] }> {
      let said: Statement | undefined;
      await run({
        query(statement) {
          said = statement;
          throw new Error('only asked what it would say');
        },
      }).catch(() => undefined);
      const client = await db.pool.connect();
      try {
        await client.query('begin');
        const { rows } = await client.query({ text: `explain (analyze, format json) ${said?.text}`, values: said?.values ?? [] });
        const nodes = flat((rows[0] as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN'][0].Plan);
        const reads = nodes.filter((node) => node['Relation Name'] === 'fetch_window' && node['Node Type'] !== 'ModifyTable');
        expect(reads.length).toBeGreaterThan(0);
        return {
          rows: reads.reduce((sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'], 0),
          indexes: [...new Set(reads.map((node) => node['Index Name'] ?? node['Node Type']))],
        };
      } finally {
        await client.query('rollback');
        client.release();
      }
    }

    function flat(plan: PlanNode): PlanNode[] {
      return [plan, ...(plan.Plans ?? []).flatMap(flat)];
    }

    it('a claim reads the due ones and none of those', async () => {
      const { rows, indexes } = await readBy((sql) => claimWindows(sql, { ...scope, lane: 0 }, size));
      expect(indexes).toContain('fetch_window_due');
      expect(rows).toBeLessThan(50);
    });

    it('a scan for lanes reads one of each priority', async () => {
      const { rows, indexes } = await readBy((sql) => findDueLanes(sql));
      expect(indexes).toEqual(['fetch_window_due']);
      expect(rows).toBeLessThan(20);
    });

    it('filing reads the windows of its notices', async () => {
      await db.pool.query(
        `insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, collection, kind, window_kind,
           window_start, window_end, version)
         select $1, $2, $3, md5(n::text)::uuid, 0, $4, 'sleep', 'changed', 'object', n, n, 5 from generate_series(1, 10) n`,
        [scope.tenantId, scope.environment, connection.providerAppId, connection.id],
      );
      const { rows } = await readBy((sql) => fileNotices(sql, scope, 500));
      expect(rows).toBeLessThan(200);
      expect((await fileNotices(db.pool, scope, 500)).taken).toBe(10);
      await claim(20);
      // None of the waiting was claimed by the way.
      expect((await db.pool.query(`select count(*)::int as n from fetch_window where state = 'fetching'`)).rows).toEqual([{ n: 5 }]);
    });
  });
});
