import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type TestDatabase, cloneDatabase } from '../../storage/testing/clone-database.js';
import { type VersionedTableOptions, versionedTable } from './postgres.js';

let db: TestDatabase;
let made = 0;
const steps = versionedTable({
  table: 'app.steps_by_day',
  user: 'person',
  key: { day: 'date', source: 'text' },
  values: { steps: 'integer', note: 'varchar(40)' },
});

beforeAll(async () => {
  db = await cloneDatabase();
  await db.pool.query('create schema app');
  await db.pool.query(
    'create table app.steps_by_day (person text not null, day date not null, source text not null, steps integer not null, note varchar(40))',
  );
  await db.pool.query(steps.migrateSql);
});
afterAll(() => db.drop());

const someone = () => `usr_${++made}`;
const row = (person: string, count: number, day = '2026-11-29') => ({ person, day, source: 'ring', steps: count, note: null });
const held = async (person: string) =>
  (
    await db.pool.query(`select day::text, steps, revision::int from app.steps_by_day where person = $1 and not removed order by day`, [
      person,
    ])
  ).rows;

describe('a table of the customer', () => {
  it('keeps the higher revision of each key, whichever comes last', async () => {
    const person = someone();
    expect(await steps.replace(db.pool, row(person, 900), 20)).toBe('applied');
    expect(await steps.replace(db.pool, row(person, 400), 19)).toBe('stale');
    expect(await steps.replace(db.pool, row(person, 401), 20)).toBe('stale');
    expect(await steps.replace(db.pool, row(person, 950), 21)).toBe('applied');
    expect(await steps.replace(db.pool, row(person, 7, '2026-11-28'), 1)).toBe('applied');
    expect(await held(person)).toEqual([
      { day: '2026-11-28', steps: 7, revision: 1 },
      { day: '2026-11-29', steps: 950, revision: 21 },
    ]);
  });

  it('does not let a late value bring back what was removed, seen before or not, and keeps nothing of it', async () => {
    const person = someone();
    const key = { person, day: '2026-11-29', source: 'ring' };
    expect(await steps.remove(db.pool, key, 5)).toBe('applied');
    expect(await steps.replace(db.pool, row(person, 400), 4)).toBe('stale');
    expect(await held(person)).toEqual([]);
    expect(await steps.replace(db.pool, row(person, 600), 6)).toBe('applied');
    expect(await steps.remove(db.pool, key, 6)).toBe('stale');
    expect(await steps.remove(db.pool, key, 7)).toBe('applied');
    expect((await db.pool.query('select steps, revision::int from app.steps_by_day where person = $1', [person])).rows).toEqual([
      { steps: null, revision: 7 },
    ]);
  });

  it('never takes a row of an erased person again', async () => {
    const [person, other] = [someone(), someone()];
    await steps.replace(db.pool, row(person, 1), 1);
    await steps.replace(db.pool, row(other, 2), 2);
    await steps.erase(db.pool, person);
    await steps.erase(db.pool, person);
    expect(await steps.replace(db.pool, row(person, 3), 1_000_000)).toBe('erased');
    expect(await steps.remove(db.pool, { person, day: '2026-11-29', source: 'ring' }, 1_000_001)).toBe('erased');
    expect((await db.pool.query('select 1 from app.steps_by_day where person = $1', [person])).rows).toEqual([]);
    expect(await held(other)).toHaveLength(1);
  });

  it('ends the same after any order and any repetition, at the same moment too', async () => {
    const change = fc.record({ day: fc.integer({ min: 1, max: 2 }), removed: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat()), async (changes, chance) => {
        const apply = (person: string, at: number): Promise<unknown> => {
          const { day, removed } = changes[at] as (typeof changes)[number];
          const date = `2026-11-0${day}`;
          if (removed) return steps.remove(db.pool, { person, day: date, source: 'ring' }, at + 1);
          return steps.replace(db.pool, row(person, at * 10, date), at + 1);
        };
        const [inOrder, shuffled] = [someone(), someone()];
        for (const at of changes.keys()) await apply(inOrder, at);
        const again = [...changes.keys(), ...changes.keys()].map((at) => ({ at, by: chance.next().value as number }));
        await Promise.all(again.sort((a, b) => a.by - b.by).map(({ at }) => apply(shuffled, at)));
        expect(await held(shuffled)).toEqual(await held(inOrder));
      }),
      { numRuns: 25 },
    );
  });

  it('may be migrated again, and rows that were there are the oldest', async () => {
    await db.pool.query('create table weights (user_id text not null, kg numeric(5,2) not null)');
    await db.pool.query(`insert into weights values ('usr_old', 70.5)`);
    const weights = versionedTable({ table: 'weights', user: 'user_id', key: {}, values: { kg: 'numeric(5,2)' } });
    await db.pool.query(weights.migrateSql);
    await db.pool.query(weights.migrateSql);
    expect(await weights.replace(db.pool, { user_id: 'usr_old', kg: 71 }, 1)).toBe('applied');
    expect((await db.pool.query('select kg from weights')).rows).toEqual([{ kg: '71.00' }]);
  });

  it('is refused when a name, a type or a row is not whole', async () => {
    const base = { table: 't', user: 'u', key: {}, values: { v: 'integer' } };
    for (const wrong of [
      { table: 't; drop table u' },
      { user: 'U' },
      { user: 'revision' },
      { key: { 'a b': 'text' } },
      { values: { v: 'text; drop table t' } },
      { values: { v: 'text) --' } },
      { values: {} },
    ]) {
      expect(() => versionedTable({ ...base, ...wrong } as VersionedTableOptions)).toThrow(TypeError);
    }
    await expect(steps.replace(db.pool, { person: 'usr_1', day: '2026-11-29', steps: 1, note: null }, 1)).rejects.toThrow('lacks source');
  });
});
