import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NoticeOfWindow, type WindowStanding, fileNotices as decide, isCovered } from '@tributary/domain';
import { KeyRing } from '@tributary/service-shell';
import fc from 'fast-check';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { Seed, type SeededConnection, type SeededEnvironment, TEST_KEYS } from '../../testing/seed.js';
import { fileNotices } from './file-notices.js';

const debounce = { debounceMs: 5_000, maxWaitMs: 60_000 };
/** More than the statement and its test can be apart in time, less than any span that the rules speak of. */
const TOLERANCE_MS = 2_000;

/** Of a clock of microseconds, or of one of whole seconds. */
const version = fc.option(fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(1_000_000, 2_000_000)), { nil: undefined });
const aNotice = fc.record<NoticeOfWindow>({ kind: fc.constantFrom('changed', 'deleted'), version });
/** Times relative to now, in ms. */
const aWindow = fc.record({
  state: fc.constantFrom('waiting', 'fetching', 'settled', 'parked', 'dead'),
  expects: fc.constantFrom('changed', 'deleted'),
  requestedVersion: version,
  coveredVersion: version,
  dirty: fc.boolean(),
  firstRequestedAgo: fc.constantFrom(0, 30_000, 58_000, 120_000),
  dueIn: fc.constantFrom(-10_000, 3_000, 20_000, 300_000),
});
const aCase = fc.record({ window: fc.option(aWindow, { nil: undefined }), notices: fc.array(aNotice, { minLength: 1, maxLength: 5 }) });

describe('fileNotices', () => {
  let db: TestDatabase;
  let scope: SeededEnvironment;
  let connection: SeededConnection;
  let rounds = 0;
  beforeAll(async () => {
    db = await cloneDatabase();
    const seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
    scope = await seed.environment({ ...debounce, fetchLanes: 4 });
    connection = await seed.connection(await seed.app(scope), await seed.user(scope));
  });
  afterAll(async () => {
    await db.drop();
  });

  it('does what the rule says, for any windows and any notices at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aCase, { minLength: 1, maxLength: 10 }), async (cases) => {
        rounds += 1;
        await db.pool.query('truncate fetch_window, webhook_notice');
        const now = Date.now();
        for (const [index, { window, notices }] of cases.entries()) {
          if (window) await insertWindow(index, window, now);
          for (const [ordinal, notice] of notices.entries()) await insertNotice(index, ordinal, notice);
        }
        const filed = await fileNotices(db.pool, scope, 500);
        const covered = cases.flatMap(({ window, notices }) => notices.filter((notice) => isCovered(window?.coveredVersion, notice)));
        expect(filed).toMatchObject({ taken: cases.flatMap((one) => one.notices).length, covered: covered.length });
        for (const [index, one] of cases.entries()) await compare(index, one, now);
      }),
      { numRuns: 60 },
    );
    expect(rounds).toBeGreaterThanOrEqual(60);
  });

  it('takes no more than it was asked to, oldest first, and goes on where it stopped', async () => {
    await db.pool.query('truncate fetch_window, webhook_notice');
    for (let n = 0; n < 5; n += 1) await insertNotice(n, 0, { kind: 'changed', version: 1 });
    expect((await fileNotices(db.pool, scope, 3)).taken).toBe(3);
    expect((await db.pool.query('select window_start from fetch_window order by 1')).rows.map((r) => r.window_start)).toEqual([
      'doc-0',
      'doc-1',
      'doc-2',
    ]);
    expect((await fileNotices(db.pool, scope, 3)).taken).toBe(2);
    expect((await fileNotices(db.pool, scope, 3)).taken).toBe(0);
  });

  it('two at once share the notices and lose none', async () => {
    await db.pool.query('truncate fetch_window, webhook_notice');
    for (let n = 0; n < 40; n += 1) await insertNotice(n % 8, n, { kind: 'changed', version: n + 1 });
    await Promise.all([fileNotices(db.pool, scope, 25), fileNotices(db.pool, scope, 25), fileNotices(db.pool, scope, 25)]);
    await fileNotices(db.pool, scope, 100);
    const { rows } = await db.pool.query(
      'select sum(notices)::int as notices, max(requested_version) as newest, count(*)::int as windows from fetch_window',
    );
    expect(rows).toEqual([{ notices: 40, newest: 40, windows: 8 }]);
  });

  it('what an ended connection was sent gives no window, and what a connection was sent that is gone goes', async () => {
    await db.pool.query('truncate fetch_window, webhook_notice');
    const seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
    const app = await seed.app(scope);
    const of = async (status: 'active' | 'reauth_required' | 'revoked') => seed.connection(app, await seed.user(scope), { status });
    const [active, parked, revoked] = [await of('active'), await of('reauth_required'), await of('revoked')];
    for (const [n, { id }] of [active, parked, revoked, { id: 'con_gone' }].entries()) {
      await insertNotice(n, 0, { kind: 'changed', version: 1 });
      await db.pool.query('update webhook_notice set connection_id = $1 where window_start = $2', [id, `doc-${n}`]);
    }
    expect(await fileNotices(db.pool, scope, 10)).toMatchObject({ taken: 4, covered: 0 });
    const states = await db.pool.query('select connection_id, state from fetch_window order by window_start');
    expect(states.rows).toEqual([
      { connection_id: active.id, state: 'waiting' },
      { connection_id: parked.id, state: 'parked' },
    ]);
    const left = await db.pool.query('select connection_id, status from webhook_notice order by window_start');
    expect(left.rows).toEqual([
      { connection_id: active.id, status: 'windowed' },
      { connection_id: parked.id, status: 'windowed' },
      { connection_id: revoked.id, status: 'dead' },
    ]);
  });

  it('ranges are windows of their own, however near or far they are, and so are other collections', async () => {
    await db.pool.query('truncate fetch_window, webhook_notice');
    const ranges = [
      ['daily_activity', '2026-09-14', '2026-09-15'],
      ['daily_activity', '2026-09-14', '2026-09-16'],
      ['daily_activity', '2024-02-01', '2024-02-02'],
      ['sleep', '2026-09-14', '2026-09-15'],
    ];
    for (const [n, [collection, from, to]] of [...ranges, ...ranges].entries()) {
      await insertNotice(n, 0, { kind: 'changed', version: n + 1 });
      await db.pool.query(
        `update webhook_notice set collection = $1, window_kind = 'days', window_start = $2, window_end = $3 where window_start = $4`,
        [collection, from, to, `doc-${n}`],
      );
    }
    await fileNotices(db.pool, scope, 10);
    const { rows } = await db.pool.query('select collection, window_start, window_end, notices from fetch_window order by 1, 2, 3');
    expect(rows.map(Object.values)).toEqual([...ranges].sort().map((range) => [...range, 2]));
  });

  it('a long backlog that the planner knows nothing of costs a slice no more than a short one', async () => {
    await db.pool.query('truncate fetch_window, webhook_notice');
    await db.pool.query(
      `insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, collection, kind, window_kind,
         window_start, window_end, version, received_at)
       select $1, $2, $3, md5(n::text)::uuid, 0, $4, 'sleep', 'changed', 'object', 'doc-' || n % 100, 'doc-' || n % 100, n,
         now() - interval '1 h' + n * interval '1 ms' from generate_series(1, 20000) n`,
      [scope.tenantId, scope.environment, connection.providerAppId, connection.id],
    );
    const client = await db.pool.connect();
    try {
      let said: { text: string; values: unknown[] } | undefined;
      const listen = {
        query(statement: { text: string; values: unknown[] }): never {
          said = statement;
          throw new Error('only asked what it would say');
        },
      };
      await fileNotices(listen, scope, 100).catch(() => undefined);
      await client.query('begin');
      const plan = await client.query({ text: `explain (analyze, format json) ${said?.text}`, values: said?.values ?? [] });
      const removed = [...JSON.stringify(plan.rows).matchAll(/"(?:Rows Removed by Filter|Rows Removed by Join Filter)":(\d+)/g)];
      expect(removed.reduce((sum, [, n]) => sum + Number(n), 0)).toBeLessThan(2_000);
    } finally {
      await client.query('rollback');
      client.release();
    }
    let taken = 0;
    for (let slice = 500; slice === 500; taken += slice) slice = (await fileNotices(db.pool, scope, 500)).taken;
    expect(taken).toBe(20_000);
    const { rows } = await db.pool.query('select count(*)::int as windows, sum(notices)::int as notices from fetch_window');
    expect(rows).toEqual([{ windows: 100, notices: 20_000 }]);
  });

  it('another environment is left alone', async () => {
    await db.pool.query('truncate fetch_window, webhook_notice');
    await insertNotice(0, 0, { kind: 'changed', version: 1 });
    expect((await fileNotices(db.pool, { ...scope, environment: 'live' }, 10)).taken).toBe(0);
    expect((await fileNotices(db.pool, { ...scope, tenantId: 'ten_other' }, 10)).taken).toBe(0);
  });

  async function insertWindow(index: number, window: typeof aWindow extends fc.Arbitrary<infer W> ? W : never, now: number): Promise<void> {
    await db.pool.query(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, state, expects,
         requested_version, covered_version, dirty, first_requested_at, due_at, notices)
       values ($1, $2, $3, 'sleep', 'object', $4, $4, $5, $6, $7, $8, $9, $10, $11, 0)`,
      [
        scope.tenantId,
        scope.environment,
        connection.id,
        `doc-${index}`,
        window.state,
        window.expects,
        window.requestedVersion ?? null,
        window.coveredVersion ?? null,
        window.dirty,
        new Date(now - window.firstRequestedAgo),
        new Date(now + window.dueIn),
      ],
    );
  }

  async function insertNotice(index: number, ordinal: number, notice: NoticeOfWindow): Promise<void> {
    await db.pool.query(
      `insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, collection, kind, window_kind,
         window_start, window_end, version, received_at)
       values ($1, $2, $3, md5($4)::uuid, $5, $6, 'sleep', $7, 'object', $8, $8, $9, clock_timestamp())`,
      [
        scope.tenantId,
        scope.environment,
        connection.providerAppId,
        `delivery-${index}`,
        ordinal,
        connection.id,
        notice.kind,
        `doc-${index}`,
        notice.version ?? null,
      ],
    );
  }

  async function compare(
    index: number,
    { window, notices }: { window?: Parameters<typeof insertWindow>[1] | undefined; notices: NoticeOfWindow[] },
    now: number,
  ) {
    const before: WindowStanding | undefined = window && {
      ...window,
      firstRequestedAt: now - window.firstRequestedAgo,
      dueAt: now + window.dueIn,
    };
    const expected = decide(before, notices, debounce, now) ?? before;
    const {
      rows: [row],
    } = await db.pool.query('select * from fetch_window where window_start = $1', [`doc-${index}`]);
    const statuses = (await db.pool.query('select status from webhook_notice where window_start = $1 order by ordinal', [`doc-${index}`]))
      .rows;
    expect(statuses.map((r) => r.status)).toEqual(notices.map((n) => (isCovered(window?.coveredVersion, n) ? 'applied' : 'windowed')));
    if (expected === undefined) {
      expect(row).toBeUndefined();
      return;
    }
    expect({
      state: row.state,
      expects: row.expects,
      requestedVersion: row.requested_version ?? undefined,
      coveredVersion: row.covered_version ?? undefined,
      dirty: row.dirty,
      notices: row.notices,
    }).toEqual({
      state: expected.state,
      expects: expected.expects,
      requestedVersion: expected.requestedVersion,
      coveredVersion: expected.coveredVersion,
      dirty: expected.dirty,
      notices: statuses.filter((r) => r.status === 'windowed').length,
    });
    expect(Math.abs(row.due_at.getTime() - expected.dueAt)).toBeLessThan(TOLERANCE_MS);
    expect(Math.abs(row.first_requested_at.getTime() - expected.firstRequestedAt)).toBeLessThan(TOLERANCE_MS);
  }
});
