import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HealthRecord } from '@tributary/domain';
import { activityDocument, sleepDocument } from '../testing/documents.js';
import { answering, heartRecord, pressureRecord, showing, weightRecord, workoutRecord } from '../testing/records.js';
import { resolveAll, viewOf } from '../testing/resolved-view.js';
import { type Person, Workbench } from '../testing/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

async function read(person: Person, ...records: HealthRecord[]): Promise<void> {
  await bench.notice(person);
  await bench.resolve(person);
  await bench.fetch(person, showing(bench, ...records));
}

/** Live rows as `metric date`. */
const shown = async (person: Person) =>
  (await viewOf(bench, person)).filter(({ deleted }) => !deleted).map(({ metric, local_date }) => `${metric} ${local_date}`);

describe('the resolved view behind real reads', () => {
  it('shows every kind of record that a read wrote, each with a revision after its own', async () => {
    const person = await bench.person();
    await read(person, workoutRecord(), weightRecord(71), pressureRecord(120, 80), heartRecord([60, 61, 62]));
    await resolveAll(bench, person);
    expect(await shown(person)).toEqual([
      'blood_pressure 2026-09-14',
      'body_weight 2026-09-14',
      'heart_rate 2026-09-14',
      'workout 2026-09-14',
    ]);
    const sources = (await bench.events(person)).map(({ revision }) => revision);
    expect((await viewOf(bench, person)).every(({ revision }) => revision > Math.max(...sources))).toBe(true);
  });

  it('shows daily values and nights of a provider, and follows a night that moves to another day', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    bench.oura.put('sleep', sleepDocument());
    await bench.notice(person);
    await bench.notice(person, { collection: 'sleep', id: 'night-1' });
    await bench.resolve(person);
    await bench.fetch(person);
    await resolveAll(bench, person);
    expect(await shown(person)).toEqual(expect.arrayContaining(['steps 2026-09-14', 'sleep_session 2026-09-15']));
    bench.oura.put('sleep', sleepDocument({ day: '2026-09-16' }));
    await bench.notice(person, { collection: 'sleep', id: 'night-1' });
    await bench.resolve(person);
    await bench.fetch(person);
    await resolveAll(bench, person);
    const nights = (await viewOf(bench, person, 'sleep_session')).map(({ local_date, deleted }) => [local_date, deleted]);
    expect(nights).toEqual([
      ['2026-09-15', true],
      ['2026-09-16', false],
    ]);
  });

  it('lets go of what the provider deleted', async () => {
    const person = await bench.person();
    await read(person, weightRecord(71, { providerRecordId: 'act-1' }));
    await resolveAll(bench, person);
    expect(await shown(person)).toEqual(['body_weight 2026-09-14']);
    await bench.notice(person, { kind: 'deleted' });
    await bench.resolve(person);
    await bench.fetch(person, answering(bench, { is: 'gone' }));
    await resolveAll(bench, person);
    expect(await shown(person)).toEqual([]);
    expect(await viewOf(bench, person)).toMatchObject([{ metric: 'body_weight', deleted: true, change: 'deleted' }]);
  });

  it('samples of a workout are no series of a day', async () => {
    const person = await bench.person();
    await read(person, heartRecord([60, 61], { workoutId: 'ride-1' }));
    await resolveAll(bench, person);
    expect(await viewOf(bench, person)).toEqual([]);
  });
});
