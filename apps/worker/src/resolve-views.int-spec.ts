import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findUnresolved } from '@tributary/storage';
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
const today = () => new Date().toISOString().slice(0, 10);
const resolve = (person: Person) => resolveAll(bench, person);
const view = (person: Person, metric?: string) => viewOf(bench, person, metric);
const one = async (person: Person, metric?: string): Promise<ViewRow> => (await view(person, metric))[0] as ViewRow;
const steps = (provider: string, value: number, rest: SourceColumns = {}): SourceColumns => ({
  provider,
  metric: 'steps',
  unit: '{steps}',
  local_date: DAY,
  value,
  ...rest,
});

describe('the resolved view of a daily value', () => {
  it('has one row, of the source that stands first, and keeps every source', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'daily', steps('google', 4_157, { type: 'phone' }));
    expect(await resolve(person)).toBe(1);
    expect(await one(person)).toMatchObject({ picked: 'google/src_phone', change: 'created', deleted: false });
    await putSource(bench, person, 'daily', steps('garmin', 14_079));
    await resolve(person);
    expect(await view(person)).toMatchObject([{ picked: 'garmin/src_watch', change: 'updated', resolution: { rule: 'priority' } }]);
    expect(await bench.rows('select provider, value, deleted from daily_rollup where tenant_id = $1 order by 1', person)).toEqual([
      { provider: 'garmin', value: 14_079, deleted: false },
      { provider: 'google', value: 4_157, deleted: false },
    ]);
  });

  it('draws a revision of its own when what is shown changes, and none when it does not', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'daily', steps('garmin', 10));
    await resolve(person);
    const first = await one(person);
    expect(first.revision).toBe(2);
    // Another source that loses changes the grounds, not the value.
    await putSource(bench, person, 'daily', steps('google', 5, { type: 'phone' }));
    expect(await resolve(person)).toBe(0);
    const second = await one(person);
    expect([second.revision, second.change, second.resolution.candidates.length]).toEqual([2, 'created', 2]);
    await putSource(bench, person, 'daily', steps('garmin', 11));
    expect(await resolve(person)).toBe(1);
    expect((await one(person)).revision).toBe(5);
    expect(await resolve(person)).toBe(0);
    expect(await findUnresolved(bench.db.pool)).toEqual([]);
  });

  it('a total that a platform merged stands before all, and half a day worn before none', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'daily', steps('garmin', 900, { coverage: 0.2 }));
    await putSource(bench, person, 'daily', steps('google', 5_000, { type: 'phone', coverage: 0.9 }));
    await resolve(person);
    expect(await one(person)).toMatchObject({
      picked: 'google/src_phone',
      resolution: { candidates: [{ skipped: 'low_coverage' }, { skipped: null }] },
    });
    await putSource(bench, person, 'daily', steps('google', 5_600, { type: 'platform_merged' }));
    await resolve(person);
    expect(await one(person)).toMatchObject({ picked: 'google/src_platform_merged', resolution: { rule: 'platform_merged' } });
  });

  it('an echo stands behind the row that came by its own road', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'daily', steps('google', 7_000, { origin: 'garmin' }));
    await resolve(person);
    expect((await one(person)).picked).toBe('google/src_watch');
    await putSource(bench, person, 'daily', steps('garmin', 7_012, { type: 'phone' }));
    await resolve(person);
    const row = await one(person);
    expect(row.picked).toBe('garmin/src_phone');
    expect(row.resolution.candidates.find(({ provider }) => provider === 'google')).toMatchObject({
      skipped: 'echo',
      echoOf: { provider: 'garmin' },
    });
  });

  it('goes to the next source when its own is deleted, and is deleted with the last; what comes back is restored', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'daily', steps('garmin', 10));
    await putSource(bench, person, 'daily', steps('google', 5, { type: 'phone' }));
    await resolve(person);
    await putSource(bench, person, 'daily', steps('garmin', 10, { deleted: true }));
    await resolve(person);
    expect((await one(person)).picked).toBe('google/src_phone');
    await putSource(bench, person, 'daily', steps('google', 5, { type: 'phone', deleted: true }));
    await resolve(person);
    expect(await one(person)).toMatchObject({ deleted: true, change: 'deleted', picked: null });
    await putSource(bench, person, 'daily', steps('google', 6, { type: 'phone' }));
    await resolve(person);
    expect(await one(person)).toMatchObject({ deleted: false, change: 'restored', picked: 'google/src_phone' });
    const revisions = (await bench.rows('select revision from resolved_record where tenant_id = $1', person)).map((row) => row['revision']);
    expect(revisions).toEqual([
      (await bench.rows('select last_revision as revision from revision_counter where tenant_id = $1', person))[0]?.['revision'],
    ]);
  });

  it('on an open day another source takes over when its lead has lasted, and not at once', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'daily', steps('google', 900, { type: 'phone', local_date: today() }));
    await resolve(person);
    await putSource(bench, person, 'daily', steps('garmin', 40, { local_date: today() }));
    await resolve(person);
    expect(await one(person)).toMatchObject({
      picked: 'google/src_phone',
      resolution: { rule: 'hysteresis', challenger: { provider: 'garmin' } },
    });
    // Nothing else comes: it is looked at once more by itself.
    const due = await bench.rows(
      `select extract(epoch from judge_again_at - now())::int as s from resolved_record where tenant_id = $1 and judge_again_at is not null`,
      person,
    );
    expect(Number(due[0]?.['s'])).toBeGreaterThan(800);
    expect((await findUnresolved(bench.db.pool)).map(({ tenantId }) => tenantId)).not.toContain(person.scope.tenantId);
    await bench.db.pool.query(`update resolved_record set judge_again_at = now() - interval '1 s' where tenant_id = $1`, [
      person.scope.tenantId,
    ]);
    expect((await findUnresolved(bench.db.pool)).map(({ tenantId }) => tenantId)).toContain(person.scope.tenantId);
    await resolve(person);
    expect(await one(person)).toMatchObject({ picked: 'garmin/src_watch', resolution: { rule: 'priority', challenger: null } });
    expect(await bench.rows('select 1 from resolved_record where tenant_id = $1 and judge_again_at is not null', person)).toEqual([]);
  });
});

describe('the resolved view of sessions, measurements and series', () => {
  const ride = (provider: string, clock: [string, string], rest: SourceColumns = {}): SourceColumns => ({
    provider,
    kind: 'workout',
    record_id: `${provider}-1`,
    local_date: DAY,
    started_at: `${DAY}T${clock[0]}:00Z`,
    ended_at: `${DAY}T${clock[1]}:00Z`,
    detail: JSON.stringify({ sport: 'cycling', subSport: null }),
    ...rest,
  });

  it('sessions that are one have one row, named by the one that stands for it; echoes and others are told', async () => {
    const person = await bench.person();
    await putSource(bench, person, 'session', ride('strava', ['06:01', '07:29'], { type: 'app', origin: 'garmin' }));
    await putSource(bench, person, 'session', ride('polar', ['06:10', '07:30'], { type: 'phone' }));
    await resolve(person);
    expect(await view(person, 'workout')).toMatchObject([{ item: 'polar/src_phone/polar-1' }]);
    await putSource(bench, person, 'session', ride('garmin', ['06:00', '07:30']));
    await resolve(person);
    const rows = await view(person, 'workout');
    expect(rows.map(({ item, deleted }) => [item, deleted])).toEqual([
      ['garmin/src_watch/garmin-1', false],
      ['polar/src_phone/polar-1', true],
    ]);
    expect(rows[0]?.resolution.candidates).toMatchObject([
      { provider: 'garmin', skipped: null },
      { provider: 'polar', skipped: 'also_recorded' },
      { provider: 'strava', skipped: 'echo', echoOf: { provider: 'garmin' } },
    ]);
  });

  it('a night that two sources file under two days is one night', async () => {
    const person = await bench.person();
    const night = { kind: 'sleep', started_at: `${DAY}T22:00:00Z`, ended_at: '2026-09-15T06:00:00Z', detail: '{}' };
    await putSource(bench, person, 'session', { ...night, provider: 'garmin', record_id: 'g', local_date: DAY });
    await putSource(bench, person, 'session', { ...night, provider: 'oura', record_id: 'o', type: 'ring', local_date: '2026-09-15' });
    await resolve(person);
    expect(await view(person, 'sleep_session')).toMatchObject([{ item: 'garmin/src_watch/g', local_date: DAY, deleted: false }]);
    // It moves, and takes its row with it.
    const moved = { ...night, provider: 'garmin', record_id: 'g', local_date: '2026-09-15', previous_local_date: DAY };
    const { previous_local_date: previous, ...columns } = moved;
    await bench.db.pool.query('update session_record set local_date = $2 where tenant_id = $1 and record_id = $3', [
      person.scope.tenantId,
      '2026-09-15',
      'g',
    ]);
    expect(previous).toBe(DAY);
    await putSource(bench, person, 'session', columns);
    await resolve(person);
    expect((await view(person, 'sleep_session')).map(({ local_date, deleted }) => [local_date, deleted])).toEqual([
      [DAY, true],
      ['2026-09-15', false],
    ]);
  });

  it('C159: one weighing by three roads is one weighing, and the latest of a day stands for it', async () => {
    const person = await bench.person();
    const weight = (provider: string, clock: string, value: number, rest: SourceColumns = {}): SourceColumns => ({
      provider,
      metric: 'body_weight',
      record_id: `${provider}-${clock}`,
      local_date: DAY,
      measured_at: `${DAY}T${clock}Z`,
      value,
      unit: 'kg',
      ...{ implausible: false, manual: false, ambiguous: false, undated: false },
      ...rest,
    });
    await putSource(bench, person, 'measurement', weight('google', '07:01:30', 82.3, { type: 'unknown' }));
    await putSource(bench, person, 'measurement', weight('withings', '07:01:12', 82.3, { type: 'scale' }));
    await putSource(bench, person, 'measurement', weight('withings', '06:00:00', 64, { type: 'scale', ambiguous: true }));
    await resolve(person);
    expect(await view(person, 'body_weight')).toMatchObject([
      {
        picked: 'withings/src_scale',
        resolution: {
          rule: 'latest',
          candidates: [
            { provider: 'withings', skipped: null },
            { provider: 'google', skipped: 'echo', echoOf: { provider: 'withings' } },
          ],
        },
      },
    ]);
    expect(await bench.rows('select count(*)::int as n from measurement_record where tenant_id = $1 and not deleted', person)).toEqual([
      { n: 3 },
    ]);
  });

  it('of a series each quarter of an hour is taken from the best source that has samples there', async () => {
    const person = await bench.person();
    const heart = (provider: string, from: string, offsets: number[], rest: SourceColumns = {}): SourceColumns => ({
      provider,
      metric: 'heart_rate',
      item: DAY,
      local_date: DAY,
      samples_from: `${DAY}T${from}Z`,
      offsets_s: offsets,
      sample_values: offsets.map(() => 60),
      unit: '/min',
      implausible: false,
      ...rest,
    });
    await putSource(bench, person, 'series', heart('google', '06:00:00', [0, 900, 1800, 2700], { type: 'phone' }));
    await putSource(bench, person, 'series', heart('garmin', '06:20:00', [0, 600]));
    await resolve(person);
    const [row] = await view(person, 'heart_rate');
    expect(row?.resolution.spans?.map(({ from, to, picked }) => [from.slice(11, 16), to.slice(11, 16), picked.provider])).toEqual([
      ['06:00', '06:15', 'google'],
      ['06:15', '06:45', 'garmin'],
      ['06:45', '07:00', 'google'],
    ]);
  });
});
