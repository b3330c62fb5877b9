import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addDays } from '@tributary/domain';
import fc from 'fast-check';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { Seed, type SeededConnection } from '../../testing/seed.js';
import { inTransaction } from '../in-transaction.js';
import { type WindowEnd, FAILURES_IN_ROW, advanceBackfill } from './advance-backfill.js';
import { claimBackfills } from './claim-backfills.js';
import { endBackfill } from './end-backfill.js';
import { findBackfill } from './find-backfill.js';
import { insertBackfill } from './insert-backfill.js';
import { OPEN_WINDOWS, openBackfillWindows } from './open-backfill-windows.js';

const today = new Date().toISOString().slice(0, 10);
const to = addDays(today, 2);
const days = (from: string, end: string) => (Date.parse(end) - Date.parse(from)) / 86_400_000;

interface OpenWindow {
  readonly collection: string;
  readonly start: string;
  readonly end: string;
}

describe('the windows of a backfill', () => {
  let db: TestDatabase;
  let seed: Seed;
  let serial = 0;
  beforeAll(async () => {
    db = await cloneDatabase();
    seed = new Seed(db.pool, { seal: (plain) => Buffer.from(plain) });
  });
  afterAll(() => db.drop());

  async function begin(wish: {
    days: number;
    spanDays: number;
    collections: number;
  }): Promise<{ connection: SeededConnection; id: string }> {
    const scope = await seed.environment();
    const connection = await seed.connection(await seed.app(scope), await seed.user(scope));
    const { tenantId, environment, id: connectionId, userId, provider } = connection;
    serial += 1;
    const id = `bf_${String(serial).padStart(6, '0')}`;
    const from = addDays(today, -wish.days);
    await inTransaction(db.pool, async (client) => {
      await insertBackfill(
        client,
        { tenantId, environment, id, userId, connectionId, provider, cause: 'request', from, to },
        Array.from({ length: wish.collections }, (_, n) => ({
          ...{ collection: `c${n}`, permitted: true, from, to, spanDays: wish.spanDays, horizonDays: undefined },
        })),
      );
      await openBackfillWindows(client, connection, id);
    });
    return { connection, id };
  }

  const openOf = async ({ tenantId }: SeededConnection) =>
    (
      await db.pool.query<OpenWindow & Record<string, unknown>>(
        `select collection, window_start as start, window_end as "end" from fetch_window
         where tenant_id = $1 and backfill_id is not null order by collection`,
        [tenantId],
      )
    ).rows;

  /** What the worker does when a window ends, without the read. */
  const finish = (connection: SeededConnection, id: string, window: OpenWindow, end: WindowEnd) =>
    inTransaction(db.pool, async (client) => {
      const { tenantId, environment, id: connectionId } = connection;
      const columns = { windowKind: 'days', windowStart: window.start, windowEnd: window.end } as const;
      const key = { tenantId, environment, connectionId, collection: window.collection, ...columns };
      await client.query(
        `update fetch_window set state = $1 where tenant_id = $2 and collection = $3 and window_start = $4 and window_end = $5`,
        [end.is === 'read' ? 'settled' : 'dead', tenantId, window.collection, window.start, window.end],
      );
      if (await advanceBackfill(client, key, id, end)) await openBackfillWindows(client, connection, id);
    });

  it('whatever fails, is lost or ends twice: they lie end to end, none is read over, and each day is counted once', async () => {
    const step = fc.constantFrom<'read' | 'failed' | 'lost' | 'twice'>('read', 'read', 'read', 'failed', 'lost', 'twice');
    const wish = fc.record({
      days: fc.integer({ min: 0, max: 120 }),
      spanDays: fc.integer({ min: 1, max: 40 }),
      collections: fc.integer({ min: 1, max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(wish, fc.array(step, { minLength: 1, maxLength: 40 }), async (given, steps) => {
        const { connection, id } = await begin(given);
        const ended = new Map<string, OpenWindow[]>();
        let turn = 0;
        for (let open = await openOf(connection); open.length > 0; open = await openOf(connection)) {
          const window = open[turn % open.length] as OpenWindow;
          // After the steps given, all is read.
          const what = steps[turn] ?? 'read';
          turn += 1;
          expect(days(window.start, window.end)).toBeLessThanOrEqual(given.spanDays);
          if (what === 'lost') {
            await db.pool.query('delete from fetch_window where tenant_id = $1 and collection = $2', [
              connection.tenantId,
              window.collection,
            ]);
            await inTransaction(db.pool, (client) => openBackfillWindows(client, connection, id));
            continue;
          }
          const end = what === 'failed' ? ({ is: 'failed', records: 0 } as const) : ({ is: 'read', records: 3 } as const);
          await finish(connection, id, window, end);
          if (what === 'twice') await finish(connection, id, window, end);
          ended.set(window.collection, [...(ended.get(window.collection) ?? []), window]);
        }
        const backfill = await findBackfill(db.pool, connection, id);
        for (const part of backfill?.parts ?? []) {
          const windows = ended.get(part.collection) ?? [];
          expect(windows[0]?.end).toBe(to);
          for (const [n, window] of windows.slice(1).entries()) expect(window.end).toBe(windows[n]?.start);
          expect(part.reached).toBe(windows.at(-1)?.start);
          expect(part.daysDone + part.daysFailed).toBe(days(part.reached, to));
          expect(part.windowsDone + part.windowsFailed).toBe(windows.length);
          expect(part.records).toBe(3 * part.windowsDone);
          if (part.state === 'done') expect(part.reached).toBe(part.from);
          else expect([part.state, part.windowsFailed >= FAILURES_IN_ROW]).toEqual(['failed', true]);
        }
        expect(await claimBackfills(db.pool, 1_000, 60_000)).toContainEqual({ tenantId: connection.tenantId, environment: 'test', id });
      }),
      { numRuns: 25 },
    );
  });

  it('no more are open at a time than a few, once each collection has its newest days', async () => {
    const { connection, id } = await begin({ days: 300, spanDays: 5, collections: 9 });
    expect(await openOf(connection)).toHaveLength(9);
    for (let turn = 0; turn < 30; turn += 1) {
      const open = await openOf(connection);
      if (turn >= 9) expect(open).toHaveLength(OPEN_WINDOWS);
      await finish(connection, id, open[0] as OpenWindow, { is: 'read', records: 1 });
    }
  });

  it('a live notice keeps its window: the mark moves and the window stays', async () => {
    const { connection, id } = await begin({ days: 60, spanDays: 30, collections: 1 });
    const [window] = await openOf(connection);
    await db.pool.query('update fetch_window set notices = 2, priority = 0 where tenant_id = $1', [connection.tenantId]);
    await finish(connection, id, window as OpenWindow, { is: 'read', records: 1 });
    const { rows } = await db.pool.query(
      'select window_start as start, state, backfill_id is null as free from fetch_window where tenant_id = $1 order by 1 desc',
      [connection.tenantId],
    );
    expect(rows).toEqual([
      { start: window?.start, state: 'settled', free: true },
      { start: addDays(today, -8), state: 'waiting', free: false },
    ]);
  });

  it('what is being read when it is cancelled moves no mark, and nothing of it is opened any more', async () => {
    const { connection, id } = await begin({ days: 60, spanDays: 30, collections: 2 });
    const [first] = await openOf(connection);
    await db.pool.query(`update fetch_window set state = 'fetching' where tenant_id = $1 and collection = 'c0'`, [connection.tenantId]);
    expect(await endBackfill(db.pool, connection, id, 'cancelled')).toBe(true);
    expect(await endBackfill(db.pool, connection, id, 'cancelled')).toBe(false);
    await finish(connection, id, first as OpenWindow, { is: 'read', records: 9 });
    expect(await inTransaction(db.pool, (client) => openBackfillWindows(client, connection, id))).toBeUndefined();
    expect(await openOf(connection)).toEqual([]);
    const backfill = await findBackfill(db.pool, connection, id);
    expect(backfill).toMatchObject({
      state: 'cancelled',
      parts: [{ state: 'cancelled', records: 0, reached: to }, { state: 'cancelled' }],
    });
  });

  it('a second one of a connection is refused by the table itself', async () => {
    const { connection } = await begin({ days: 5, spanDays: 5, collections: 1 });
    const { tenantId, environment, id: connectionId, userId, provider } = connection;
    const second = { tenantId, environment, id: 'bf_second', userId, connectionId, provider, cause: 'request', from: today, to } as const;
    await expect(insertBackfill(db.pool, second, [])).rejects.toMatchObject({ code: '23505', constraint: 'backfill_running' });
  });
});
