import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DailyRecord, SeriesRecord, Source } from '@tributary/domain';
import { listResolvedDaily } from '@tributary/storage';
import { answering, heartRecord, showing } from '../testing/records.js';
import { type ViewRow, resolveAll, viewOf } from '../testing/resolved-view.js';
import { type SourceColumns, putSource } from '../testing/source-rows.js';
import { type Person, Workbench } from '../testing/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

const DAY = '2026-09-14';
const resolve = (person: Person) => resolveAll(bench, person);
const total = (type: string, value: number, rest: SourceColumns = {}) => ({
  provider: 'withings',
  metric: 'steps',
  unit: '{steps}',
  local_date: DAY,
  value,
  type,
  ...rest,
});
/** Steps of quarters of an hour after six. */
const counts = (type: string, quarters: Readonly<Record<number, number>>, rest: SourceColumns = {}) => ({
  provider: 'withings',
  metric: 'steps_intraday',
  item: DAY,
  local_date: DAY,
  samples_from: `${DAY}T06:00:00Z`,
  offsets_s: Object.keys(quarters).map((n) => Number(n) * 900),
  sample_values: Object.values(quarters),
  interval_s: 900,
  unit: '{steps}',
  implausible: false,
  type,
  ...rest,
});
const steps = async (person: Person): Promise<ViewRow> => (await viewOf(bench, person, 'steps'))[0] as ViewRow;
const valueOf = async (person: Person): Promise<number | null | undefined> =>
  (await bench.rows(`select computed_value as value from resolved_record where tenant_id = $1 and metric = 'steps'`, person))[0]?.[
    'value'
  ] as number | null | undefined;
const shown = async (person: Person) =>
  (
    await listResolvedDaily(bench.db.pool, person.scope, {
      ...{ userId: person.user.id, metric: undefined, provider: undefined, sourceId: undefined, from: undefined, to: undefined },
      after: undefined,
      limit: 10,
    })
  ).map(({ value, sourceId, revision }) => ({ value, sourceId, revision }));

/** A watch and a phone that counted the first quarter both, and each one more of its own. */
const putBoth = async (person: Person) => {
  await putSource(bench, person, 'daily', total('watch', 500));
  await putSource(bench, person, 'daily', total('phone', 700));
  await putSource(bench, person, 'series', counts('watch', { 0: 300, 1: 200 }));
  await putSource(bench, person, 'series', counts('phone', { 0: 280, 4: 420 }));
};

describe('a total computed from the samples of several sources', () => {
  it('is a value of its own, with whose quarters it is made of, and leaves every source as it is', async () => {
    const person = await bench.person();
    await putBoth(person);
    await resolve(person);
    const row = await steps(person);
    expect(row).toMatchObject({
      picked: 'withings/src_watch',
      resolution: {
        rule: 'intraday',
        derivation: 'computed',
        quarters: [
          { provider: 'withings', sourceId: 'src_watch', recordId: null, count: 2 },
          { provider: 'withings', sourceId: 'src_phone', recordId: null, count: 1 },
        ],
        resolverVersion: 2,
      },
    });
    expect(await valueOf(person)).toBe(920);
    expect(JSON.stringify(row.resolution)).not.toContain('420');
    expect(await shown(person)).toEqual([{ value: 920, sourceId: 'src_watch', revision: row.revision }]);
    expect(await bench.rows(`select source_id, value from daily_rollup where tenant_id = $1 order by 1`, person)).toEqual([
      { source_id: 'src_phone', value: 700 },
      { source_id: 'src_watch', value: 500 },
    ]);
  });

  it('is computed anew when samples change, under a revision of its own, and is not when nothing that is shown does', async () => {
    const person = await bench.person();
    await putBoth(person);
    await resolve(person);
    const first = await steps(person);
    await putSource(bench, person, 'series', counts('phone', { 0: 280, 4: 450 }));
    await resolve(person);
    const second = await steps(person);
    expect([await valueOf(person), second.change]).toEqual([950, 'updated']);
    expect(second.revision).toBeGreaterThan(first.revision);
    // What the watch had counted already is only other grounds.
    await putSource(bench, person, 'series', counts('phone', { 0: 281, 4: 450 }));
    await resolve(person);
    expect([await valueOf(person), (await steps(person)).revision]).toEqual([950, second.revision]);
  });

  it('gives way to the picked source’s own total when a series is deleted, and is not shown from that moment on', async () => {
    const person = await bench.person();
    await putBoth(person);
    await resolve(person);
    await putSource(bench, person, 'series', counts('phone', { 0: 280, 4: 420 }, { deleted: true }));
    expect(await shown(person)).toEqual([]);
    await resolve(person);
    const row = await steps(person);
    expect(row).toMatchObject({ picked: 'withings/src_watch', change: 'updated', resolution: { rule: 'priority' } });
    expect(row.resolution).not.toHaveProperty('derivation');
    expect(row.resolution).not.toHaveProperty('quarters');
    expect([await valueOf(person), await shown(person)]).toEqual([null, [{ value: 500, sourceId: 'src_watch', revision: row.revision }]]);
  });

  it('gives way when the total of a source says that its series is less than half of the day, and to a platform’s merged one', async () => {
    const person = await bench.person();
    await putBoth(person);
    await putSource(bench, person, 'daily', total('phone', 1_401));
    await resolve(person);
    expect([await valueOf(person), (await steps(person)).resolution.rule]).toEqual([null, 'priority']);
    await putSource(bench, person, 'daily', total('phone', 1_400));
    await resolve(person);
    expect([await valueOf(person), (await steps(person)).resolution.rule]).toEqual([920, 'intraday']);
    await putSource(bench, person, 'daily', total('platform_merged', 890, { provider: 'google' }));
    await resolve(person);
    expect(await steps(person)).toMatchObject({ picked: 'google/src_platform_merged', resolution: { rule: 'platform_merged' } });
    expect(await valueOf(person)).toBeNull();
  });

  it('never takes samples of another provider, or of a workout', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'daily', total('watch', 500));
    await putSource(bench, person, 'daily', total('phone', 700, { provider: 'google' }));
    await putSource(bench, person, 'daily', total('band', 700));
    await putSource(bench, person, 'series', counts('watch', { 0: 500 }));
    await putSource(bench, person, 'series', counts('phone', { 4: 700 }, { provider: 'google' }));
    await putSource(bench, person, 'series', counts('band', { 4: 700 }, { item: 'w-1', workout_id: 'w-1' }));
    await resolve(person);
    expect([await valueOf(person), (await steps(person)).resolution.rule]).toEqual([null, 'priority']);
  });

  it('is the same whatever comes first, and however often it is resolved between', async () => {
    const puts = [
      (person: Person) => putSource(bench, person, 'daily', total('watch', 500)),
      (person: Person) => putSource(bench, person, 'daily', total('phone', 700)),
      (person: Person) => putSource(bench, person, 'series', counts('watch', { 0: 300, 1: 200 })),
      (person: Person) => putSource(bench, person, 'series', counts('phone', { 0: 280, 4: 420 })),
    ];
    for (const order of [
      [3, 2, 1, 0],
      [1, 3, 0, 2],
      [2, 0, 3, 1],
    ]) {
      const person = await bench.person();
      for (const n of order) {
        await puts[n]?.(person);
        await resolve(person);
      }
      const { resolution } = await steps(person);
      expect([order, await valueOf(person), resolution.rule, resolution.challenger]).toEqual([order, 920, 'intraday', null]);
    }
  });

  it('samples are no second look at who leads an open day', async () => {
    const person = await bench.person();
    const today = { local_date: new Date().toISOString().slice(0, 10) };
    await putSource(bench, person, 'daily', total('phone', 700, today));
    await resolve(person);
    await putSource(bench, person, 'daily', total('watch', 500, today));
    await resolve(person);
    const held = { picked: 'withings/src_phone', resolution: { rule: 'hysteresis', challenger: { sourceId: 'src_watch' } } };
    expect(await steps(person)).toMatchObject(held);
    await putSource(bench, person, 'series', counts('watch', { 0: 500 }, { ...today, item: today.local_date }));
    await putSource(bench, person, 'series', counts('phone', { 4: 700 }, { ...today, item: today.local_date }));
    await resolve(person);
    expect(await steps(person)).toMatchObject(held);
    expect(await valueOf(person)).toBeNull();
    await putSource(bench, person, 'daily', total('watch', 500, today));
    await resolve(person);
    expect(await steps(person)).toMatchObject({ picked: 'withings/src_watch', resolution: { rule: 'intraday', challenger: null } });
    expect(await valueOf(person)).toBe(1_200);
  });

  it('behind real reads: comes with the samples, and goes with the document that they came from', async () => {
    const person = await bench.person();
    const source = (type: 'watch' | 'phone'): Source => ({ id: `src_${type}`, type, manufacturer: undefined, model: undefined });
    const series = (type: 'watch' | 'phone', values: number[], offsetsS: number[]): SeriesRecord =>
      heartRecord([], {
        metric: 'steps_intraday',
        // The notice of a deletion names `act-1`.
        providerRecordId: type === 'phone' ? 'act-1' : 'steps-1',
        source: source(type),
        samples: { from: '2026-09-14T06:00:00.000Z', offsetsS, values, intervalS: 60 },
      });
    const daily = (type: 'watch' | 'phone', value: number): DailyRecord => {
      const { samples: _, workoutId: __, ...dated } = series(type, [], []);
      return { ...dated, kind: 'daily', metric: 'steps', providerRecordId: `day-${type}`, value };
    };
    const totals = [daily('watch', 500), daily('phone', 700)];
    const samples = [series('watch', [300, 200], [0, 900]), series('phone', [280, 420], [60, 3_600])];
    const read = async (context: ReturnType<typeof showing>, notice = {}) => {
      await bench.notice(person, notice);
      await bench.resolve(person);
      await bench.fetch(person, context);
      await resolve(person);
      return [await valueOf(person), (await steps(person)).resolution.rule];
    };
    expect(await read(showing(bench, ...totals))).toEqual([null, 'priority']);
    expect(await read(showing(bench, ...totals, ...samples))).toEqual([920, 'intraday']);
    expect(await read(answering(bench, { is: 'gone' }), { kind: 'deleted' })).toEqual([null, 'priority']);
    expect(await shown(person)).toMatchObject([{ value: 500, sourceId: 'src_watch' }]);
  });
});
