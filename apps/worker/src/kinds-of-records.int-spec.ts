import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HealthRecord } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { answering, heartRecord, pressureRecord, showing, weightRecord, workoutRecord } from '../testing/records.js';
import { type Person, Workbench } from '../testing/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

/** One read of one object that shows these records. */
async function read(person: Person, ...records: HealthRecord[]): Promise<void> {
  await bench.notice(person);
  await bench.resolve(person);
  await bench.fetch(person, showing(bench, ...records));
}

async function readGone(person: Person): Promise<void> {
  await bench.notice(person, { kind: 'deleted' });
  await bench.resolve(person);
  await bench.fetch(person, answering(bench, { is: 'gone' }));
}

/** Events since the last call for this person, each checked against its schema. */
async function newEvents(person: Person, since = 0) {
  const events = (await bench.events(person)).slice(since);
  for (const { type, data } of events) expect(eventSchemas[type as keyof typeof eventSchemas].parse(data)).toEqual(data);
  return events;
}

const sessions = (person: Person) =>
  bench.rows(
    'select kind, record_id, local_date, started_at, detail, deleted, revision from session_record where tenant_id = $1 order by record_id',
    person,
  );
const measurements = (person: Person) =>
  bench.rows(
    `select metric, record_id, local_date, measured_at, value, parts, unit, implausible, deleted, revision from measurement_record
     where tenant_id = $1 order by metric, record_id`,
    person,
  );
const series = (person: Person) =>
  bench.rows(
    `select metric, item, workout_id, local_date, samples_from, offsets_s, sample_values, deleted, revision from series_day
     where tenant_id = $1 order by metric, item`,
    person,
  );

describe('workouts', () => {
  it('a workout is kept with its event, in the same words', async () => {
    const person = await bench.person();
    await read(person, workoutRecord());
    const { detail } = workoutRecord();
    expect(await sessions(person)).toMatchObject([
      { kind: 'workout', record_id: 'ride-1', local_date: '2026-09-14', detail, deleted: false },
    ]);
    expect(await newEvents(person)).toMatchObject([
      {
        type: 'workout.updated',
        deliveries: 1,
        data: {
          metric: 'workout',
          kind: 'session',
          recordId: 'ride-1',
          change: 'created',
          previousLocalDate: null,
          window: { start: '2026-09-14T06:00:00.000Z', end: '2026-09-14T07:30:00.000Z' },
          record: { ...detail, implausible: false },
        },
      },
    ]);
  });

  it('seen again with the same content it is neither written nor told, and raises its version', async () => {
    const person = await bench.person();
    await read(person, workoutRecord());
    const [before] = await bench.rows('select version, revision, updated_at from session_record where tenant_id = $1', person);
    await read(person, workoutRecord());
    const [after] = await bench.rows('select version, revision, updated_at from session_record where tenant_id = $1', person);
    expect([after?.['revision'], after?.['updated_at']]).toEqual([before?.['revision'], before?.['updated_at']]);
    expect(after?.['version']).toBeGreaterThan(before?.['version'] as number);
    expect(await bench.events(person)).toHaveLength(1);
  });

  it('a workout that moved to another day stays one row, and its event says from where', async () => {
    const person = await bench.person();
    await read(person, workoutRecord());
    await read(person, workoutRecord({ localDate: '2026-09-13', start: '2026-09-13T21:00:00.000Z', end: '2026-09-13T21:50:00.000Z' }));
    expect(await sessions(person)).toMatchObject([{ record_id: 'ride-1', local_date: '2026-09-13' }]);
    expect(await newEvents(person, 1)).toMatchObject([
      { type: 'workout.updated', data: { change: 'updated', localDate: '2026-09-13', previousLocalDate: '2026-09-14' } },
    ]);
  });

  it('an older version of the provider loses, and the order of arrival says nothing', async () => {
    const person = await bench.person();
    await read(person, workoutRecord({ version: 2_000, detail: { ...workoutRecord().detail, distanceM: 2 } }));
    await read(person, workoutRecord({ version: 1_000, detail: { ...workoutRecord().detail, distanceM: 1 } }));
    expect(await sessions(person)).toMatchObject([{ detail: { distanceM: 2 } }]);
    expect(await bench.events(person)).toHaveLength(1);
  });

  it('a workout and a night of the same id are two records', async () => {
    const person = await bench.person();
    const night = { ...workoutRecord(), kind: 'sleep', detail: { stages: [] } } as unknown as HealthRecord;
    await read(person, workoutRecord(), night);
    expect((await sessions(person)).map((row) => row['kind']).sort()).toEqual(['sleep', 'workout']);
  });
});

describe('measurements', () => {
  it('several of one document are rows of their own, each with its event', async () => {
    const person = await bench.person();
    await read(person, weightRecord(71.45), pressureRecord(124, 79));
    expect(await measurements(person)).toMatchObject([
      { metric: 'blood_pressure', value: null, parts: { systolic: 124, diastolic: 79, pulse: 61 }, unit: 'mm[Hg]', implausible: false },
      { metric: 'body_weight', value: 71.45, parts: null, unit: 'kg', implausible: false },
    ]);
    expect((await newEvents(person)).map(({ type, data }) => [type, data['metric'], data['record']])).toEqual([
      ['measurement.updated', 'body_weight', expect.objectContaining({ value: 71.45, parts: null, unit: 'kg' })],
      [
        'measurement.updated',
        'blood_pressure',
        expect.objectContaining({ value: null, parts: { systolic: 124, diastolic: 79, pulse: 61 } }),
      ],
    ]);
  });

  it('a correction replaces, and the same value through another read writes nothing', async () => {
    const person = await bench.person();
    for (const value of [71.45, 70.9, 70.9]) await read(person, weightRecord(value));
    expect(await measurements(person)).toMatchObject([{ value: 70.9 }]);
    expect((await newEvents(person)).map(({ data }) => data['change'])).toEqual(['created', 'updated']);
  });

  it('a value without a time is no news because it was read later', async () => {
    const person = await bench.person();
    await read(person, weightRecord(71, { undated: true }));
    await read(person, weightRecord(71, { undated: true, localDate: '2026-09-15', instant: '2026-09-15T05:31:00.000Z' }));
    expect(await measurements(person)).toMatchObject([{ local_date: '2026-09-14' }]);
    expect(await newEvents(person)).toMatchObject([{ data: { record: { undated: true } } }]);
    expect(await bench.events(person)).toHaveLength(1);
  });

  it('a measurement that the provider deleted goes with the others of its document, and comes back when two newer reads show it', async () => {
    const person = await bench.person();
    await read(person, weightRecord(71, { providerRecordId: 'act-1' }), { ...pressureRecord(124, 79), providerRecordId: 'act-1' });
    await readGone(person);
    expect((await measurements(person)).map((row) => row['deleted'])).toEqual([true, true]);
    const told = await newEvents(person, 2);
    expect(told.map(({ type, data }) => [type, data['metric'], data['kind'], data['recordId']]).sort()).toEqual([
      ['record.deleted', 'blood_pressure', 'measurement', 'group-1'],
      ['record.deleted', 'body_weight', 'measurement', 'group-1'],
    ]);
    // One look may be at a replica that lags behind.
    await read(person, weightRecord(71, { providerRecordId: 'act-1' }));
    expect(await newEvents(person, 4)).toEqual([]);
    await bench.later(person, 2);
    await bench.fetch(person, showing(bench, weightRecord(71, { providerRecordId: 'act-1' })));
    expect(await newEvents(person, 4)).toMatchObject([{ type: 'measurement.updated', data: { change: 'restored' } }]);
  });

  it('C071 what is unlikely is kept and marked; what no body can have is a letter with its path, alone: the rest of the read counts', async () => {
    const person = await bench.person();
    await read(person, weightRecord(210), pressureRecord(120, 80));
    expect(await measurements(person)).toMatchObject([{ parts: { systolic: 120 } }, { value: 210, implausible: true }]);
    await read(person, weightRecord(70), pressureRecord(80, 120));
    expect(await measurements(person)).toMatchObject([{ parts: { systolic: 120 } }, { value: 70 }]);
    expect(await bench.letters(person)).toMatchObject([
      {
        bucket: 'drift',
        code: 'impossible_value',
        detail: 'records[1].blood_pressure.parts.diastolic is out of any possible range',
        open: true,
      },
    ]);
    expect(await bench.windows(person)).toMatchObject([{ state: 'dead' }]);
    expect((await newEvents(person)).map(({ data }) => [data['metric'], data['change']])).toEqual([
      ['body_weight', 'created'],
      ['blood_pressure', 'created'],
      ['body_weight', 'updated'],
    ]);
    await read(person, weightRecord(70), pressureRecord(122, 80));
    expect(await bench.letters(person)).toMatchObject([{ open: false, close_reason: 'refreshed' }]);
  });

  it('C037 C127 documents that are not of known shape are a letter with the first path; the others count, and nothing goes for want of them', async () => {
    const person = await bench.person();
    await read(person, weightRecord(71), weightRecord(72, { providerRecordId: 'group-2', recordId: 'group-2' }));
    await bench.notice(person);
    await bench.resolve(person);
    const faults = ['data[1].weight is no number', 'data[4].time is no time'];
    await bench.fetch(person, answering(bench, { is: 'records', complete: true, records: [weightRecord(70)], faults }));
    expect((await measurements(person)).map((row) => [row['record_id'], row['value'], row['deleted']])).toEqual([
      ['group-1', 70, false],
      ['group-2', 72, false],
    ]);
    expect(await bench.letters(person)).toMatchObject([
      { bucket: 'drift', code: 'drift', detail: 'data[1].weight is no number (and 1 more)', open: true },
    ]);
    expect(await bench.windows(person)).toMatchObject([{ state: 'dead' }]);
    expect(await bench.rows('select complete from measurement_record where tenant_id = $1 order by record_id', person)).toEqual([
      { complete: false },
      { complete: true },
    ]);
  });

  it('C131 a record that comes twice in one answer is one row and one event', async () => {
    const person = await bench.person();
    await read(person, weightRecord(71), weightRecord(71), weightRecord(72));
    expect(await measurements(person)).toMatchObject([{ value: 72 }]);
    expect(await newEvents(person)).toHaveLength(1);
  });
});

describe('series', () => {
  it('is one row of the day, and its event carries no sample', async () => {
    const person = await bench.person();
    await read(person, heartRecord([60, 61, 62]));
    expect(await series(person)).toMatchObject([
      { metric: 'heart_rate', item: '2026-09-14', workout_id: null, offsets_s: [0, 60, 120], sample_values: [60, 61, 62] },
    ]);
    const [event] = await newEvents(person);
    expect(event).toMatchObject({
      type: 'series.updated',
      data: {
        kind: 'series',
        sampleCount: 3,
        changedFrom: '2026-09-13T22:00:00.000Z',
        changedTo: '2026-09-13T22:02:00.000Z',
        change: 'created',
      },
    });
    expect(Object.keys(event?.data ?? {})).not.toContain('record');
  });

  it('is replaced whole and never appended to: what the read does not show is gone', async () => {
    const person = await bench.person();
    await read(person, heartRecord([60, 61, 62, 63]));
    await read(person, heartRecord([60, 99]));
    expect(await series(person)).toMatchObject([{ offsets_s: [0, 60], sample_values: [60, 99] }]);
    expect(await newEvents(person, 1)).toMatchObject([
      { data: { change: 'updated', sampleCount: 2, changedFrom: '2026-09-13T22:01:00.000Z', changedTo: '2026-09-13T22:03:00.000Z' } },
    ]);
  });

  it('read three times it is there once', async () => {
    const person = await bench.person();
    for (let turn = 0; turn < 3; turn += 1) await read(person, heartRecord([60, 61]));
    expect(await series(person)).toMatchObject([{ sample_values: [60, 61] }]);
    expect(await bench.events(person)).toHaveLength(1);
  });

  it('samples of two workouts of one day do not replace each other, and go with their workout', async () => {
    const person = await bench.person();
    const streams = (id: string, values: number[]) => heartRecord(values, { providerRecordId: id, workoutId: id });
    await read(person, streams('act-1', [100, 101]), workoutRecord({ providerRecordId: 'act-1' }), streams('ride-2', [140]));
    expect(await series(person)).toMatchObject([{ item: 'act-1' }, { item: 'ride-2', sample_values: [140] }]);
    await read(person, streams('act-1', [100, 101]), streams('ride-2', [140]));
    await readGone(person);
    expect((await series(person)).map((row) => [row['item'], row['deleted']])).toEqual([
      ['act-1', true],
      ['ride-2', false],
    ]);
    expect((await newEvents(person, 3)).map(({ data }) => [data['metric'], data['kind'], data['recordId']]).sort()).toEqual([
      ['heart_rate', 'series', 'act-1'],
      ['workout', 'session', 'act-1'],
    ]);
  });

  it('ten thousand samples go in and come out as they were', async () => {
    const person = await bench.person();
    const values = Array.from({ length: 10_000 }, (_, index) => 60 + (index % 400) / 10);
    const offsetsS = values.map((_, index) => index * 8);
    await read(person, heartRecord([], { samples: { from: '2026-09-13T22:00:00.000Z', offsetsS, values, intervalS: 8 } }));
    expect(await series(person)).toMatchObject([{ offsets_s: offsetsS, sample_values: values }]);
  });
});

describe('all kinds in one read', () => {
  it('are one transaction with revisions in a row, one for each row', async () => {
    const person = await bench.person();
    const steps = { ...heartRecord([]), kind: 'daily', metric: 'steps', value: 9 } as unknown as HealthRecord;
    await read(person, heartRecord([60]), weightRecord(71), workoutRecord(), steps);
    const revisions = (await newEvents(person)).map(({ revision }) => revision);
    expect(revisions).toHaveLength(4);
    expect(revisions).toEqual(revisions.map((_, index) => (revisions[0] as number) + index));
  });
});
