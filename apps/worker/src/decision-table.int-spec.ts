import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DailyRecord } from '@tributary/domain';
import { heartRecord } from '../testing/records.js';
import { Looks } from '../testing/looks.js';
import { Workbench } from '../testing/workbench.js';
import type { ReadToApply } from './apply-window.js';

let bench: Workbench;
let looks: Looks;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});
beforeEach(async () => {
  looks = new Looks(bench, await bench.person());
});

const steps = (value: number, changes: Partial<DailyRecord> = {}): DailyRecord => {
  const { samples: _samples, workoutId: _workoutId, ...dated } = heartRecord([]);
  return { ...dated, kind: 'daily', metric: 'steps', providerRecordId: 'doc', value, ...changes };
};
const HOUR = 60;
/** The document is no more. */
const gone = async (at: number): Promise<ReadToApply> => ({ ...(await looks.read({ at })), seen: looks.seen({ at }, { gone: ['doc'] }) });
const verdicts = async (applied: ReturnType<Looks['apply']>) => Object.fromEntries((await applied).verdicts);

describe('each row of the decision table, in the tables', () => {
  it('1 the same content: no revision and no event; the later look and the higher version stay', async () => {
    await looks.apply({ at: 0 }, steps(100, { version: 5 }));
    const before = await looks.row();
    expect(await looks.apply({ at: HOUR }, steps(100, { version: 9 }))).toMatchObject({ result: 'unchanged', endpoints: [] });
    expect(await looks.row()).toMatchObject({
      revision: before['revision'],
      version: 9,
      provider_version: 9,
      fresh_from: looks.ms(HOUR),
      unsettled: false,
    });
    expect([await looks.told(), await looks.again()]).toEqual([['created'], undefined]);
  });

  it('2 C025 a higher version of the same clock is taken, however it came', async () => {
    await looks.apply({ at: HOUR }, steps(100, { version: 7 }));
    await looks.apply({ at: 0 }, steps(200, { version: 8 }));
    expect(await looks.row()).toMatchObject({ value: 200, version: 8, inferred: false, provider_version: 8, clock_domain: 'oura' });
    expect([await looks.told(), await looks.again()]).toEqual([['created', 'updated'], undefined]);
  });

  it('3 C025 a lower version that was not seen later is stale: quick edits that arrive reversed end in the last one', async () => {
    await looks.apply({ at: HOUR }, steps(800, { version: 8 }));
    expect(await verdicts(looks.apply({ at: 0 }, steps(700, { version: 7 })))).toEqual({ stale: 1 });
    expect(await looks.row()).toMatchObject({ value: 800, version: 8 });
    expect([await looks.told(), await looks.again()]).toEqual([['created'], undefined]);
  });

  it('4 a clock that ran backwards: seen again after ten minutes it is taken, in a new epoch, by a version of ours', async () => {
    await looks.apply({ at: 0 }, steps(100, { version: 500 }));
    expect(await verdicts(looks.apply({ at: HOUR }, steps(200, { version: 4 })))).toEqual({ to_confirm: 1 });
    expect(await looks.row()).toMatchObject({ value: 100, doubt: '4', unsettled: true });
    expect(await looks.again()).toBe(looks.ms(HOUR + 10) + 1_000);
    expect(await looks.told()).toEqual(['created']);
    expect(await verdicts(looks.apply({ at: HOUR + 11 }, steps(200, { version: 4 })))).toEqual({ updated: 1, version_regressed: 1 });
    expect(await looks.row()).toMatchObject({
      value: 200,
      version: 501,
      inferred: true,
      provider_version: 4,
      version_epoch: 1,
      doubt: null,
      unsettled: false,
    });
    expect([await looks.told(), await looks.again()]).toEqual([['created', 'updated'], undefined]);
  });

  it('5 an equal version with other content, seen later: taken, counted, and marked as inferred', async () => {
    await looks.apply({ at: 0 }, steps(100, { version: 5 }));
    expect(await verdicts(looks.apply({ at: HOUR }, steps(200, { version: 5 })))).toEqual({ updated: 1, equal_version_conflict: 1 });
    expect(await looks.row()).toMatchObject({ value: 200, version: 6, inferred: true, provider_version: 5 });
    expect([await looks.told(), await looks.again()]).toEqual([['created', 'updated'], undefined]);
  });

  it('6 an equal version with other content: older is dropped, unordered waits for a look that settles it', async () => {
    await looks.apply({ at: HOUR }, steps(100, { version: 5 }));
    await looks.apply({ at: 0 }, steps(200, { version: 5 }));
    expect([await looks.row(), await looks.again()]).toMatchObject([{ value: 100, unsettled: false }, undefined]);
    expect(await verdicts(looks.apply({ at: 0, tookMs: HOUR * 60_000 }, steps(200, { version: 5 })))).toEqual({ unordered: 1 });
    expect(await looks.row()).toMatchObject({ value: 100, unsettled: true });
    expect(await looks.again()).toBeGreaterThan(looks.ms(HOUR));
    await looks.apply({ at: 2 * HOUR }, steps(100, { version: 5 }));
    expect([await looks.row(), await looks.again()]).toMatchObject([{ unsettled: false }, undefined]);
    expect(await looks.told()).toEqual(['created']);
  });

  it('7 without versions what was seen later is taken, up or down', async () => {
    await looks.apply({ at: 0 }, steps(8_000));
    await looks.apply({ at: HOUR }, steps(7_900));
    expect(await looks.row()).toMatchObject({ value: 7_900, inferred: true, version: looks.ms(HOUR) * 1000 });
    expect([await looks.told(), await looks.again()]).toEqual([['created', 'updated'], undefined]);
  });

  it('8 without versions what was seen earlier is dropped', async () => {
    await looks.apply({ at: HOUR }, steps(8_000));
    expect(await verdicts(looks.apply({ at: 0 }, steps(7_900)))).toEqual({ stale: 1 });
    expect([await looks.row(), await looks.told(), await looks.again()]).toMatchObject([{ value: 8_000 }, ['created'], undefined]);
  });

  it('9 without versions and without an order: what reaches further wins for now, shown as provisional, until a look settles it', async () => {
    await looks.apply({ at: 0, tookMs: 600_000 }, steps(8_000, { coverageEnd: looks.ms(-9) }));
    await looks.apply({ at: 5 }, steps(8_500, { coverageEnd: looks.ms(-1) }));
    expect(await looks.row()).toMatchObject({ value: 8_500, unsettled: true });
    expect(await looks.again()).toBe(looks.ms(10) + 1);
    expect((await bench.events(looks.person)).map(({ data }) => data['provisional'])).toEqual([false, true]);
    await looks.apply({ at: 11 }, steps(8_500, { coverageEnd: looks.ms(-1) }));
    expect([await looks.row(), await looks.again()]).toMatchObject([{ value: 8_500, unsettled: false }, undefined]);
    expect(await looks.told()).toEqual(['created', 'updated']);
  });

  it('10 a later look that reaches less far: seen twice, a deleted walk is taken off the steps', async () => {
    await looks.apply({ at: 0 }, steps(8_000, { coverageEnd: looks.ms(-10) }));
    const less = steps(6_200, { coverageEnd: looks.ms(-80) });
    expect(await verdicts(looks.apply({ at: HOUR }, less))).toEqual({ to_confirm: 1 });
    expect(await looks.row()).toMatchObject({ value: 8_000, doubt: '10', unsettled: true });
    expect(await looks.again()).toBe(looks.ms(HOUR + 1) + 1_000);
    await looks.apply({ at: HOUR + 2 }, less);
    expect(await looks.row()).toMatchObject({ value: 6_200, doubt: null, unsettled: false });
    expect([await looks.told(), await looks.again()]).toEqual([['created', 'updated'], undefined]);
  });

  it('11 versions of two clocks are not compared: what was seen later wins, and its clock with it', async () => {
    await looks.apply({ at: 0, clockDomain: 'phone-1' }, steps(100, { version: 900 }));
    expect(await verdicts(looks.apply({ at: HOUR, clockDomain: 'phone-2' }, steps(200, { version: 3 })))).toEqual({
      updated: 1,
      clock_domain_changed: 1,
    });
    expect(await looks.row()).toMatchObject({ value: 200, version: 901, inferred: true, provider_version: 3, clock_domain: 'phone-2' });
    expect(await verdicts(looks.apply({ at: 0, clockDomain: 'phone-1', tookMs: 2 * HOUR * 60_000 }, steps(300, { version: 901 })))).toEqual(
      {
        unordered: 1,
      },
    );
    expect(await looks.row()).toMatchObject({ value: 200, unsettled: true });
    expect([await looks.told(), await looks.again()]).toMatchObject([['created', 'updated'], expect.any(Number)]);
  });

  it('12 what was deleted comes back by a higher version at once, and otherwise when it was seen twice', async () => {
    await looks.apply({ at: 0 }, steps(100));
    await looks.write(await gone(HOUR));
    expect(await looks.row()).toMatchObject({ deleted: true, delete_reason: 'provider_deleted' });
    expect(await verdicts(looks.apply({ at: 2 * HOUR }, steps(100)))).toEqual({ to_confirm: 1 });
    expect(await looks.row()).toMatchObject({ deleted: true, doubt: '12' });
    expect(await looks.again()).toBe(looks.ms(2 * HOUR + 1) + 1_000);
    await looks.apply({ at: 2 * HOUR + 2 }, steps(100));
    expect(await looks.row()).toMatchObject({ value: 100, deleted: false, delete_reason: null });
    expect([await looks.told(), await looks.again()]).toEqual([['created', 'provider_deleted', 'restored'], undefined]);
  });

  it('13 C027 a late repeat of what was deleted does not bring it back', async () => {
    await looks.apply({ at: 0 }, steps(100));
    await looks.write(await gone(HOUR));
    await looks.apply({ at: 0 }, steps(100));
    await looks.apply({ at: 0, tookMs: 2 * HOUR * 60_000 }, steps(200));
    expect(await looks.row()).toMatchObject({ deleted: true, unsettled: true });
    expect(await looks.again()).toBeGreaterThan(looks.ms(2 * HOUR));
    await looks.write(await gone(3 * HOUR));
    expect([await looks.row(), await looks.again()]).toMatchObject([{ deleted: true, unsettled: false }, undefined]);
    expect(await looks.told()).toEqual(['created', 'provider_deleted']);
  });

  it('14 the same document read better than before: taken, and told as that', async () => {
    const inputHash = 'ab'.repeat(32);
    await looks.apply({ at: HOUR }, steps(100, { inputHash, version: 5 }));
    await looks.apply({ at: 2 * HOUR, normalizerVersion: 2 }, steps(110, { inputHash, version: 5 }));
    expect(await looks.row()).toMatchObject({ value: 110, normalizer_version: 2, provider_version: 5, version: 6, inferred: true });
    expect(await verdicts(looks.apply({ at: 3 * HOUR, normalizerVersion: 1 }, steps(100, { inputHash, version: 5 })))).toEqual({
      old_normalizer: 1,
    });
    expect([await looks.told(), await looks.again()]).toEqual([['created', 'renormalized'], undefined]);
  });

  it('15 a value that goes to and fro is held, told to nobody, shown as unsettled, and looked at when it may rest', async () => {
    for (const [at, value] of [100, 200, 100].entries()) await looks.apply({ at: at * HOUR }, steps(value));
    expect(await verdicts(looks.apply({ at: 3 * HOUR }, steps(200)))).toEqual({ flapping: 1 });
    expect(await looks.row()).toMatchObject({ value: 100, unsettled: true });
    expect(await looks.again()).toBe(looks.ms(24 * HOUR) + 1_000);
    expect(await looks.told()).toEqual(['created', 'updated', 'updated']);
    await looks.apply({ at: 25 * HOUR }, steps(200));
    expect([await looks.row(), await looks.again()]).toMatchObject([{ value: 200, unsettled: false }, undefined]);
  });

  it('16 a value that no body can have is put aside: what we hold stays, and the rest of the read is written', async () => {
    await looks.apply({ at: 0 }, steps(100));
    const read = await looks.read({ at: HOUR }, steps(9e9), steps(70, { metric: 'resting_heart_rate' }));
    expect(read.seen.putAside).toEqual(['records[0].steps.value is out of any possible range']);
    expect(Object.fromEntries((await looks.write(read)).verdicts)).toEqual({ quarantined: 1, created: 1 });
    expect((await bench.daily(looks.person)).map((row) => [row['metric'], row['value']])).toEqual([
      ['resting_heart_rate', 70],
      ['steps', 100],
    ]);
    expect(await looks.told()).toEqual(['created', 'created']);
  });
});

describe('reads that missed something', () => {
  it('C156 C035 never show that something is gone or less, whatever they lack', async () => {
    await looks.apply({ at: 0 }, steps(8_000, { coverageEnd: looks.ms(-10) }));
    await looks.apply({ at: HOUR, complete: false }, steps(6_200, { coverageEnd: looks.ms(-80) }));
    await looks.apply({ at: 2 * HOUR, complete: false });
    await looks.apply({ at: 3 * HOUR });
    expect(await looks.row()).toMatchObject({ value: 8_000, deleted: false });
    expect(await looks.told()).toEqual(['created']);
  });
});

describe('days in doubt', () => {
  const week = { windowKind: 'days', windowStart: '2026-09-10', windowEnd: '2026-09-17' } as const;
  const doubtful = (value: number, coverage: number, localDate: string) => steps(value, { localDate, coverageEnd: looks.ms(coverage) });
  const waiting = () =>
    bench.rows(
      `select window_start, window_end, settles, notices from fetch_window where tenant_id = $1 and state = 'waiting' order by 1`,
      looks.person,
    );

  it('are read again one by one, once however many rows are in doubt, and the windows go when they are settled', async () => {
    const days = ['2026-09-11', '2026-09-13'];
    const all = (at: number, value: number, coverage: number) =>
      looks.apply(
        { at, window: week },
        ...days.flatMap((day) => [
          doubtful(value, coverage, day),
          { ...doubtful(value / 1_000, coverage, day), metric: 'floors_climbed' as const },
        ]),
      );
    await all(0, 8_000, -10);
    await all(HOUR, 6_000, -80);
    expect(await waiting()).toEqual(days.map((day) => expect.objectContaining({ window_start: day, settles: true, notices: 0 })));
    for (const day of days) {
      const single = { windowKind: 'days', windowStart: day, windowEnd: day.replace(/\d$/, (digit) => String(Number(digit) + 1)) } as const;
      const read = await looks.read({ at: 2 * HOUR, window: single }, doubtful(6_000, -80, day));
      await bench.db.pool.query(`update fetch_window set notices = 0 where tenant_id = $1 and window_start = $2`, [
        looks.person.scope.tenantId,
        day,
      ]);
      await looks.write(read);
    }
    expect(await bench.rows('select window_start from fetch_window where tenant_id = $1 order by 1', looks.person)).toEqual([
      { window_start: '2026-09-10' },
    ]);
    expect((await bench.daily(looks.person)).filter((row) => row['metric'] === 'steps').map((row) => row['value'])).toEqual([6_000, 6_000]);
  });
});

describe('rows that go for other reasons', () => {
  it('a key that changed is a deletion and a record that name each other, of one change id, in one transaction', async () => {
    await looks.apply({ at: 0 }, steps(100));
    const from = { table: 'daily_rollup', metric: 'steps', sourceId: 'src_watch', localDate: '2026-09-14' } as const;
    const to = { ...from, localDate: '2026-09-13' };
    const read = await looks.read({ at: HOUR }, steps(100, { localDate: to.localDate, providerRecordId: 'doc' }));
    await looks.write({ ...read, seen: { ...read.seen, rekeyed: [{ from, to }] } });
    expect(
      await bench.rows('select local_date, deleted, delete_reason from daily_rollup where tenant_id = $1 order by 1', looks.person),
    ).toEqual([
      { local_date: '2026-09-13', deleted: false, delete_reason: null },
      { local_date: '2026-09-14', deleted: true, delete_reason: 'rekeyed' },
    ]);
    const [, moved, left] = await bench.events(looks.person);
    expect(moved?.data).toMatchObject({
      change: 'created',
      localDate: '2026-09-13',
      supersedes: { metric: 'steps', localDate: '2026-09-14' },
    });
    expect(left?.data).toMatchObject({ reason: 'rekeyed', supersededBy: { localDate: '2026-09-13' }, changeId: moved?.data['changeId'] });
    expect(moved?.data['changeId']).toMatch(/^chg_/);
    // And back again, at once: it was we who took it away.
    const back = await looks.read({ at: 2 * HOUR }, steps(100));
    await looks.write({ ...back, seen: { ...back.seen, rekeyed: [{ from: to, to: from }] } });
    expect((await bench.daily(looks.person)).filter((row) => row['deleted'] === false)).toMatchObject([{ local_date: '2026-09-14' }]);
  });

  it('what we may not see any more goes whatever its version, and what the provider lacks only if nothing later was seen', async () => {
    await looks.apply({ at: HOUR }, steps(100, { version: 9e15 }), steps(7, { metric: 'floors_climbed' }));
    const row = (metric: string) => ({ table: 'daily_rollup', metric, sourceId: 'src_watch', localDate: '2026-09-14' }) as const;
    const read = await looks.read({ at: 0 });
    const absent = [
      { row: row('steps'), reason: 'permission_revoked' },
      { row: row('floors_climbed'), reason: 'absent_confirmed' },
    ] as const;
    await looks.write({ ...read, seen: looks.seen({ at: 0 }, { absent }) });
    expect(await looks.told()).toEqual(['created', 'created', 'permission_revoked']);
    await looks.write({ ...(await looks.read({ at: 2 * HOUR })), seen: looks.seen({ at: 2 * HOUR }, { absent }) });
    expect((await looks.told()).slice(3)).toEqual(['absent_confirmed']);
  });
});
