import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DailyRecord } from '@tributary/domain';
import { Looks } from '../testing/looks.js';
import { heartRecord } from '../testing/records.js';
import { type Person, Workbench } from '../testing/workbench.js';
import { ApplyQueue } from './apply-queue.js';
import type { ReadToApply } from './apply-window.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

const steps = (value: number, changes: Partial<DailyRecord> = {}): DailyRecord => {
  const { samples: _samples, workoutId: _workoutId, ...dated } = heartRecord([]);
  return { ...dated, kind: 'daily', metric: 'steps', providerRecordId: 'doc', value, ...changes };
};

/** So many people of one environment. */
async function crowd(size: number): Promise<Looks[]> {
  const first = await bench.person();
  const others = await Promise.all(
    Array.from({ length: size - 1 }, async (): Promise<Person> => {
      const user = await bench.seed.user(first.scope);
      return { ...first, user, connection: await bench.seed.connection(first.app, user) };
    }),
  );
  return [first, ...others].map((person) => new Looks(bench, person));
}

const queue = (limits: Partial<ConstructorParameters<typeof ApplyQueue>[1]> = {}) =>
  new ApplyQueue(bench.db.pool, { transactions: 4, reads: 16, rows: 1_000, ...limits });
const addAll = (to: ApplyQueue, reads: readonly ReadToApply[]) => Promise.allSettled(reads.map((read) => to.add(read)));
const results = async (settled: ReturnType<typeof addAll>) =>
  (await settled).map((one) => (one.status === 'fulfilled' ? one.value.result : (one.reason as { code?: string }).code));
const rowsOf = ({ person }: Looks) =>
  bench.rows('select user_id, value, revision, xmin::text as tx from daily_rollup where tenant_id = $1 order by revision', person);
const counter = async ({ person }: Looks) =>
  (await bench.rows('select last_revision from revision_counter where tenant_id = $1', person))[0]?.['last_revision'];

describe('reads of one environment that wait at the same moment', () => {
  it('share one transaction, with revisions in a row and endpoints told once', async () => {
    const people = await crowd(10);
    const reads = await Promise.all(people.map((looks, at) => looks.read({ at: 0 }, steps(at), steps(at, { metric: 'distance' }))));
    const to = queue();
    const applied = await Promise.all(reads.map((read) => to.add(read)));
    const rows = await rowsOf(people[0] as Looks);
    expect(rows).toHaveLength(20);
    expect(new Set(rows.map((row) => row['tx'])).size).toBe(1);
    expect(rows.map((row) => row['revision'])).toEqual(rows.map((_, at) => at + 1));
    expect(applied.map(({ endpoints }) => endpoints.length)).toEqual([1, ...Array<number>(9).fill(0)]);
    expect(await bench.events((people[0] as Looks).person)).toHaveLength(20);
  });

  it('are cut by number and by rows', async () => {
    const people = await crowd(6);
    const all = async (to: ApplyQueue, at: number) => {
      const reads = await Promise.all(people.map((looks) => looks.read({ at }, steps(at + 1), steps(at + 1, { metric: 'distance' }))));
      await addAll(to, reads);
      return new Set((await rowsOf(people[0] as Looks)).map((row) => row['tx'])).size;
    };
    expect([await all(queue({ reads: 2 }), 0), await all(queue({ rows: 9 }), 60)]).toEqual([3, 2]);
  });

  it('do not fail with one of them that the database refuses', async () => {
    const people = await crowd(5);
    const reads = await Promise.all(
      people.map((looks, at) => looks.read({ at: 0 }, steps(at, at === 2 ? { localDate: '2026-13-77' } : {}))),
    );
    expect(await results(addAll(queue(), reads))).toEqual(['changed', 'changed', '22008', 'changed', 'changed']);
    expect((await rowsOf(people[0] as Looks)).map((row) => row['value'])).toEqual([0, 1, 3, 4]);
    expect(await counter(people[0] as Looks)).toBe(4);
  });

  it('leave out those whose lease or person is gone, and no revision for them', async () => {
    const people = await crowd(4);
    const reads = await Promise.all(people.map((looks, at) => looks.read({ at: 0 }, steps(at))));
    await bench.db.pool.query('update fetch_window set lease_token = gen_random_uuid() where connection_id = $1', [
      reads[1]?.window.connectionId,
    ]);
    await bench.db.pool.query(`update connection set status = 'revoked' where id = $1`, [reads[2]?.window.connectionId]);
    expect(await results(addAll(queue(), reads))).toEqual(['changed', 'lost', 'lost', 'changed']);
    expect((await rowsOf(people[0] as Looks)).map((row) => row['revision'])).toEqual([1, 2]);
    expect(await counter(people[0] as Looks)).toBe(2);
  });

  it('of which two show the same row are written one after the other, each against what the other left', async () => {
    const [looks] = (await crowd(1)) as [Looks];
    const window = (id: string) => ({ windowKind: 'object', windowStart: id, windowEnd: id }) as const;
    const [one, other] = [
      await looks.read({ at: 0, window: window('a') }, steps(100)),
      await looks.read({ at: 60, window: window('b') }, steps(200)),
    ];
    const gone = { ...(await looks.read({ at: 120, window: window('c') })), seen: looks.seen({ at: 120 }, { gone: ['doc'] }) };
    await addAll(queue(), [other, one, gone]);
    // Whichever is first: the earlier look never replaces the later one, and nothing brings back what is gone.
    const told = await looks.told();
    expect([told[0], told.at(-1), (await looks.row())['deleted']]).toEqual(['created', 'provider_deleted', true]);
    expect(new Set((await rowsOf(looks)).map((row) => row['revision']))).toEqual(new Set([told.length]));
  });

  it('of several environments do not wait for each other', async () => {
    const [one, other] = [await crowd(2), await crowd(2)];
    const holder = await bench.db.pool.connect();
    await holder.query('begin');
    await holder.query('select 1 from revision_counter where tenant_id = $1 for update', [one[0]?.person.scope.tenantId]);
    const to = queue();
    const blocked = addAll(to, await Promise.all(one.map((looks) => looks.read({ at: 0 }, steps(1)))));
    expect(await results(addAll(to, await Promise.all(other.map((looks) => looks.read({ at: 0 }, steps(2))))))).toEqual([
      'changed',
      'changed',
    ]);
    expect(await rowsOf(one[0] as Looks)).toEqual([]);
    await holder.query('commit');
    holder.release();
    expect(await results(blocked)).toEqual(['changed', 'changed']);
  });
});

describe('what was written and not ticked off', () => {
  it('C139 a read whose write failed changed nothing, and its window is still to be read', async () => {
    const [looks] = (await crowd(1)) as [Looks];
    const read = await looks.read({ at: 0 }, steps(1));
    const failing: ReadToApply = {
      ...read,
      also: () => Promise.reject(Object.assign(new Error('away'), { code: '57P01' })),
    };
    expect(await results(addAll(queue(), [failing]))).toEqual(['57P01']);
    expect([await rowsOf(looks), await bench.events(looks.person), await counter(looks)]).toEqual([[], [], 0]);
    expect(await bench.windows(looks.person)).toMatchObject([{ state: 'fetching', covered_version: null }]);
    expect(await results(addAll(queue(), [read]))).toEqual(['changed']);
  });

  it('C151 a read that is done again after its commit writes no second event, a hundred times', async () => {
    const [looks] = (await crowd(1)) as [Looks];
    const read = await looks.read({ at: 0 }, steps(1));
    await looks.write(read);
    for (let n = 0; n < 50; n += 1) {
      expect((await looks.write(read)).result).toBe('lost');
      expect((await looks.apply({ at: n + 1 }, steps(1))).result).toBe('unchanged');
    }
    expect([await looks.told(), (await looks.row())['revision']]).toEqual([['created'], 1]);
  });
});
