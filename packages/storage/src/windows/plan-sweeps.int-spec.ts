import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { Seed, type SeededEnvironment } from '../../testing/seed.js';
import { planSweeps } from './plan-sweeps.js';

const INTERVAL_S = 21_600;

describe('sweeps', () => {
  let db: TestDatabase;
  let seed: Seed;
  beforeAll(async () => {
    db = await cloneDatabase();
    seed = new Seed(db.pool, { seal: (plain) => Buffer.from(plain) });
  });
  afterAll(() => db.drop());

  const activity = { provider: 'oura', collection: 'daily_activity', scope: 'daily', spanDays: undefined };

  /** Connections whose sweeps were due so many seconds ago. */
  async function connections(late: readonly number[]): Promise<SeededEnvironment> {
    const scope = await seed.environment();
    const app = await seed.app(scope);
    for (const s of late) {
      const { id } = await seed.connection(app, await seed.user(scope));
      await db.pool.query(`update connection set next_sweep_at = now() - $2 * interval '1 second' where id = $1`, [id, s]);
    }
    return scope;
  }
  const rows = async (text: string, scope: SeededEnvironment) => (await db.pool.query<Record<string, number>>(text, [scope.tenantId])).rows;
  const windows = (scope: SeededEnvironment) =>
    rows(
      `select collection, window_start as start, window_end as "end", priority, extract(epoch from due_at - now())::float as due_in
       from fetch_window where tenant_id = $1 order by collection, window_start`,
      scope,
    );

  it('after a pause of the worker they come back spread over the pause, and each connection keeps its own place in the interval', async () => {
    const late = Array.from({ length: 60 }, (_, n) => (n + 0.5) * (INTERVAL_S / 60));
    const scope = await connections(late);
    expect(await planSweeps(db.pool, [activity], 100)).toBe(60);
    const due = (await windows(scope)).map((row) => row['due_in'] as number).sort((a, b) => a - b);
    // Half of them are later than half an hour from now, and none is later than an interval.
    expect(due[30]).toBeGreaterThan(1_800);
    expect(due[59]).toBeLessThan(INTERVAL_S);
    const next = (
      await rows('select extract(epoch from next_sweep_at - now())::float as s from connection where tenant_id = $1 order by 1', scope)
    ).map(({ s }) => s as number);
    expect(next[0]).toBeGreaterThan(0);
    expect(next[59]).toBeLessThan(INTERVAL_S * 1.06);
    // No hour of the six has more than twice its share.
    for (let hour = 0; hour < 6; hour += 1)
      expect(next.filter((s) => s >= hour * 3_600 && s < (hour + 1) * 3_600).length).toBeLessThanOrEqual(20);
  });

  it('one that is days late is read within an interval, and is due once and not for each that it missed', async () => {
    const scope = await connections([10 * INTERVAL_S + 60]);
    await planSweeps(db.pool, [activity], 100);
    expect(await planSweeps(db.pool, [activity], 100)).toBe(0);
    expect((await windows(scope)).map((row) => (row['due_in'] as number) <= INTERVAL_S)).toEqual([true]);
  });

  it('one that is on time is read at once, with the lowest priority', async () => {
    const scope = await connections([0]);
    await planSweeps(db.pool, [activity], 100);
    const [row] = await windows(scope);
    expect(row).toMatchObject({ priority: 2 });
    expect(row?.['due_in']).toBeLessThan(1);
  });

  it('C154 a collection that the consent does not cover is not asked for; what needs no scope is', async () => {
    const scope = await connections([0]);
    const wanted = [activity, { ...activity, collection: 'tags', scope: 'tag' }, { ...activity, collection: 'grant', scope: undefined }];
    await planSweeps(db.pool, wanted, 100);
    expect((await windows(scope)).map((row) => row['collection'])).toEqual(['daily_activity', 'grant']);
  });

  it('scopes in a language of the provider’s own forbid nothing, and a wider scope is more than the one that is needed', async () => {
    const scope = await connections([0, 0]);
    const [first, second] = await rows('select id from connection where tenant_id = $1 order by id', scope);
    await db.pool.query(`update connection set scopes = '{EVERYTHING}' where id = $1`, [first?.['id']]);
    await db.pool.query(`update connection set scopes = '{tag_all}' where id = $1`, [second?.['id']]);
    await planSweeps(db.pool, [activity, { ...activity, collection: 'tags', scope: 'tag' }], 100);
    const found = await rows('select connection_id, collection from fetch_window where tenant_id = $1 order by 1, 2', scope);
    expect(found).toEqual([
      { connection_id: first?.['id'], collection: 'daily_activity' },
      { connection_id: first?.['id'], collection: 'tags' },
      { connection_id: second?.['id'], collection: 'tags' },
    ]);
  });

  it('windows keep to what one read may span', async () => {
    const scope = await connections([0]);
    await planSweeps(db.pool, [{ ...activity, spanDays: 3 }], 100);
    const found = await windows(scope);
    const day = (text: unknown) => Date.parse(String(text)) / 86_400_000;
    expect(found.map((row) => day(row['end']) - day(row['start']))).toEqual([1, 3]);
    expect(day(found[1]?.['start'])).toBe(day(found[0]?.['end']));
  });

  it('what waits already is left as it is, and who asked for it keeps their place', async () => {
    const scope = await connections([0]);
    await planSweeps(db.pool, [activity], 100);
    await db.pool.query(`update fetch_window set priority = 0, notices = 3 where tenant_id = $1`, [scope.tenantId]);
    await db.pool.query(`update connection set next_sweep_at = now() where tenant_id = $1`, [scope.tenantId]);
    expect(await planSweeps(db.pool, [activity], 100)).toBe(0);
    expect(await windows(scope)).toMatchObject([{ priority: 0 }]);
  });
});
