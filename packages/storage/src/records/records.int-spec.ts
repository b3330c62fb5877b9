import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import fc from 'fast-check';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { Seed, TEST_KEYS } from '../../testing/seed.js';
import { confirmRows } from './confirm-rows.js';
import { readHeld } from './read-held.js';
import { readHeldOfDocuments } from './read-held-of-documents.js';
import { readSamples } from './read-samples.js';
import type { DailyRow, MeasurementRow, RecordOwner, RecordRow, SeriesRow, SleepRow, StoredDatum, WorkoutRow } from './record-row.js';
import { type RecordTable, recordTables, rowName } from './record-table.js';
import { removeRows } from './remove-rows.js';
import { upsertRows } from './upsert-rows.js';

const datum = (hash: string): StoredDatum => ({
  sourceId: 'src',
  localDate: '2026-09-14',
  providerRecordId: 'doc',
  source: { id: 'src', type: 'watch', manufacturer: 'Acme', model: undefined },
  dateBasis: 'record_offset',
  dayModel: 'civil',
  utcOffsetS: undefined,
  provisional: false,
  version: 10,
  inferred: true,
  contentHash: Buffer.from(hash),
});
const daily: DailyRow = { table: 'daily_rollup', ...datum('d'), metric: 'steps', value: 1, unit: '{steps}', implausible: false };
const times = { startedAt: '2026-09-14T06:00:00.000Z', endedAt: '2026-09-14T07:00:00.000Z', endUtcOffsetS: undefined };
const ride: WorkoutRow = {
  table: 'session_record',
  ...datum('w'),
  ...times,
  kind: 'workout',
  recordId: 'r',
  detail: {} as WorkoutRow['detail'],
};
const night: SleepRow = {
  table: 'session_record',
  ...datum('n'),
  ...times,
  kind: 'sleep',
  recordId: 'r',
  detail: {} as SleepRow['detail'],
};
const weight: MeasurementRow = {
  table: 'measurement_record',
  ...datum('m'),
  metric: 'body_weight',
  recordId: 'r',
  measuredAt: '2026-09-14T05:31:00.000Z',
  value: 71.45,
  parts: undefined,
  unit: 'kg',
  implausible: false,
  manual: false,
  ambiguous: false,
  undated: false,
};
const heart: SeriesRow = {
  table: 'series_day',
  ...datum('s'),
  metric: 'heart_rate',
  item: '2026-09-14',
  workoutId: undefined,
  samples: { from: '2026-09-13T22:00:00.000Z', offsetsS: [0, 60], values: [60.5, 1e-7], intervalS: undefined },
  unit: '/min',
  implausible: false,
};
const all: readonly (readonly [RecordTable['name'], RecordRow, RecordRow])[] = [
  ['daily_rollup', daily, { ...daily, metric: 'distance' }],
  ['session_record', ride, night],
  ['measurement_record', weight, { ...weight, recordId: 'other' }],
  ['series_day', heart, { ...heart, item: 'workout', workoutId: 'workout' }],
];

describe('the four tables of records', () => {
  let db: TestDatabase;
  let seed: Seed;
  beforeAll(async () => {
    db = await cloneDatabase();
    seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
  });
  afterAll(() => db.drop());

  const someone = async (): Promise<RecordOwner> => {
    const scope = await seed.environment();
    const user = await seed.user(scope);
    const connection = await seed.connection(await seed.app(scope), user);
    return { tenantId: scope.tenantId, environment: scope.environment, userId: user.id, connectionId: connection.id, provider: 'oura' };
  };
  const tableOf = (name: string) => recordTables.find((table) => table.name === name) as RecordTable;
  const at = <T>(row: T, version: number, revision: number) => ({ ...row, version, revision });

  it.each(all)('%s: a row goes in once, only a newer one replaces it, and each person has their own', async (name, row, other) => {
    const table = tableOf(name);
    const [owner, stranger] = [await someone(), await someone()];
    const key = new Set([rowName(row)]);
    expect(await upsertRows(db.pool, table, owner, [at(row, 10, 1), at(other, 10, 2)])).toEqual(new Set([rowName(row), rowName(other)]));
    expect(await upsertRows(db.pool, table, owner, [at(row, 10, 3)])).toEqual(new Set());
    expect(await upsertRows(db.pool, table, owner, [at(row, 9, 4)])).toEqual(new Set());
    expect(await upsertRows(db.pool, table, owner, [at(row, 11, 5)])).toEqual(key);
    expect(await upsertRows(db.pool, table, stranger, [at(row, 1, 1)])).toEqual(key);
    const { rows } = await db.pool.query(`select version, revision from ${name} where tenant_id = $1 order by revision`, [owner.tenantId]);
    expect(rows).toEqual([
      { version: 10, revision: 2 },
      { version: 11, revision: 5 },
    ]);
  });

  it.each(all)(
    '%s: is read back by key and by document, marked as gone, and not brought back by an older row',
    async (name, row, other) => {
      const table = tableOf(name);
      const owner = await someone();
      await upsertRows(db.pool, table, owner, [at(row, 10, 1), at({ ...other, providerRecordId: 'another' }, 10, 2)]);
      const [held] = await readHeld(db.pool, table, owner, [row], false);
      expect(held).toMatchObject({
        table: name,
        sourceId: 'src',
        localDate: '2026-09-14',
        version: 10,
        deleted: false,
        providerRecordId: 'doc',
      });
      expect(held && rowName(held)).toBe(rowName(row));
      expect((await readHeldOfDocuments(db.pool, table, owner, ['doc'], true)).map(rowName)).toEqual([rowName(row)]);
      expect((await readHeld(db.pool, table, owner, [row, other], true)).map(rowName).sort()).toEqual(
        [rowName(row), rowName(other)].sort(),
      );

      const gone = { version: 20, inferred: true, reason: 'provider_deleted' } as const;
      expect(await removeRows(db.pool, table, owner, [at(row, 0, 3)], { ...gone, version: 10 })).toEqual(new Set());
      expect(await removeRows(db.pool, table, owner, [at(row, 0, 3)], gone)).toEqual(new Set([rowName(row)]));
      expect(await upsertRows(db.pool, table, owner, [at(row, 20, 4)])).toEqual(new Set());
      expect(await readHeld(db.pool, table, owner, [row], false)).toMatchObject([{ version: 20, deleted: true }]);
      expect(await upsertRows(db.pool, table, owner, [at(row, 21, 4)])).toEqual(new Set([rowName(row)]));
      expect(await readHeld(db.pool, table, owner, [row], false)).toMatchObject([{ version: 21, deleted: false }]);
    },
  );

  it.each(all)('%s: is confirmed only while it has the content that was seen', async (name, row) => {
    const table = tableOf(name);
    const owner = await someone();
    await upsertRows(db.pool, table, owner, [at(row, 10, 1)]);
    const seen = { ...row, version: 15, inferred: false, providerRecordId: 'doc-2' };
    expect(await confirmRows(db.pool, table, owner, [{ ...seen, contentHash: Buffer.from('else') }])).toBe(0);
    expect(await confirmRows(db.pool, table, owner, [{ ...seen, contentHash: undefined }])).toBe(0);
    expect(await confirmRows(db.pool, table, owner, [seen])).toBe(1);
    expect(await confirmRows(db.pool, table, owner, [{ ...seen, version: 3 }])).toBe(1);
    expect(await readHeld(db.pool, table, owner, [row], false)).toMatchObject([{ version: 15, providerRecordId: 'doc-2' }]);
  });

  it.each(all)('%s: ends in its newest state after any order and any repetition of writes and removals', async (name, row) => {
    const table = tableOf(name);
    const history = fc.uniqueArray(fc.record({ version: fc.integer({ min: 1, max: 9 }), gone: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
      selector: ({ version }) => version,
    });
    const order = history.chain((steps) =>
      fc.shuffledSubarray([...steps, ...steps], { minLength: 2 * steps.length, maxLength: 2 * steps.length }),
    );
    await fc.assert(
      fc.asyncProperty(order, async (steps) => {
        const owner = await someone();
        // A removal marks a row that is there, so there is one.
        await upsertRows(db.pool, table, owner, [at(row, 0, 1)]);
        for (const { version, gone } of steps) {
          const step = { ...at(row, version, 1), contentHash: Buffer.from(String(version)) };
          if (gone) {
            await removeRows(db.pool, table, owner, [step], { version, inferred: true, reason: 'provider_deleted' });
            // What is gone already is seen to be gone at a newer version.
            await confirmRows(db.pool, table, owner, [{ ...step, contentHash: undefined }]);
          } else await upsertRows(db.pool, table, owner, [step]);
        }
        const newest = Math.max(...steps.map(({ version }) => version));
        const { gone } = steps.find(({ version }) => version === newest) as { gone: boolean };
        const [held] = await readHeld(db.pool, table, owner, [row], false);
        expect(held).toMatchObject({ deleted: gone, version: newest });
        if (!gone) expect(held?.contentHash).toEqual(Buffer.from(String(newest)));
      }),
      { numRuns: 25 },
    );
  });

  it('samples come out as they went in', async () => {
    const owner = await someone();
    const stream = { ...heart, item: 'ride', workoutId: 'ride', samples: { ...heart.samples, offsetsS: [], values: [], intervalS: 60 } };
    await upsertRows(db.pool, tableOf('series_day'), owner, [at(heart, 1, 1), at(stream, 1, 2)]);
    const samples = await readSamples(db.pool, owner, [stream, heart]);
    expect([samples.get(rowName(heart)), samples.get(rowName(stream))]).toEqual([heart.samples, stream.samples]);
  });
});
