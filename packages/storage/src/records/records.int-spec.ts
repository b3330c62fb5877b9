import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import fc from 'fast-check';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { Seed, TEST_KEYS } from '../../testing/seed.js';
import type { HeldState } from '@tributary/domain';
import { lockPeople } from './lock-people.js';
import { readHeld } from './read-held.js';
import { readHeldOfDocuments } from './read-held-of-documents.js';
import { readSamples } from './read-samples.js';
import type {
  DailyRow,
  MeasurementRow,
  RecordOwner,
  RecordRow,
  RowWrite,
  SeriesRow,
  SleepRow,
  StoredDatum,
  WorkoutRow,
} from './record-row.js';
import { type RecordTable, recordTables, rowName } from './record-table.js';
import { removeRows } from './remove-rows.js';
import { replaceRows } from './replace-rows.js';
import { touchRows } from './touch-rows.js';
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

/** As the gate leaves it; all that can be there is there. */
const state = (version: number, changes: Partial<HeldState> = {}): HeldState => ({
  contentHash: Buffer.from('d').toString('hex'),
  inputHash: 'ab'.repeat(32),
  normalizerVersion: 2,
  deleted: false,
  withdrawn: false,
  version,
  inferred: true,
  providerVersion: 7,
  clockDomain: 'oura',
  versionEpoch: 1,
  epochFresh: { from: 1, to: 2 },
  coverageEnd: 3,
  fresh: { from: 4, to: 5 },
  via: 'push',
  complete: false,
  ingestedAt: 6,
  unsettled: true,
  doubt: { row: 10, contentHash: 'cd', seenTo: 8, notBefore: 9 },
  trail: [
    { contentHash: 'ab', at: 1 },
    { contentHash: 'nothing', at: 2 },
  ],
  ...changes,
});

describe('the four tables of records', () => {
  let db: TestDatabase;
  let seed: Seed;
  beforeAll(async () => {
    db = await cloneDatabase();
    seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
  });
  afterAll(() => db.drop());

  type Someone = RecordOwner & { readonly tenantId: string; readonly environment: 'live' | 'test' };
  const someone = async (): Promise<Someone> => {
    const scope = await seed.environment();
    const user = await seed.user(scope);
    const connection = await seed.connection(await seed.app(scope), user);
    return { tenantId: scope.tenantId, environment: scope.environment, userId: user.id, connectionId: connection.id, provider: 'oura' };
  };
  const tableOf = (name: string) => recordTables.find((table) => table.name === name) as RecordTable;
  const at = (owner: RecordOwner, row: RecordRow, version: number, revision: number): RowWrite => ({
    row: { ...row, owner },
    revision,
    state: state(version),
  });
  const goes = (owner: RecordOwner, row: RecordRow, version: number, revision: number) => ({
    ...row,
    owner,
    revision,
    reason: 'provider_deleted' as const,
    state: state(version, { deleted: true }),
  });
  const held = async (owner: Someone, row: RecordRow) => (await readHeld(db.pool, tableOf(row.table), owner, [{ ...row, owner }]))[0];

  it.each(all)(
    '%s: rows of many people go in at once, only a newer one replaces one, and each person has their own',
    async (name, row, other) => {
      const table = tableOf(name);
      const owner = await someone();
      const neighbour = { ...owner, userId: `${owner.userId}-2` };
      const first = [at(owner, row, 10, 1), at(neighbour, row, 3, 2), at(owner, other, 10, 3)];
      expect(await upsertRows(db.pool, table, owner, first)).toBe(3);
      expect(await upsertRows(db.pool, table, owner, [at(owner, row, 10, 4)])).toBe(0);
      expect(await upsertRows(db.pool, table, owner, [at(owner, row, 9, 5), at(neighbour, row, 4, 6)])).toBe(1);
      expect(await upsertRows(db.pool, table, owner, [at(owner, row, 11, 7)])).toBe(1);
      expect(await replaceRows(db.pool, table, owner, [at(owner, row, 11, 8)])).toBe(0);
      expect(await replaceRows(db.pool, table, owner, [at(owner, row, 12, 9), at(neighbour, row, 5, 10)])).toBe(2);
      expect(await replaceRows(db.pool, table, owner, [at({ ...owner, userId: 'nobody' }, row, 99, 11)])).toBe(0);
      const { rows } = await db.pool.query(
        `select user_id = $2 as mine, version, revision from ${name} where tenant_id = $1 order by revision`,
        [owner.tenantId, owner.userId],
      );
      expect(rows).toEqual([
        { mine: true, version: 10, revision: 3 },
        { mine: true, version: 12, revision: 9 },
        { mine: false, version: 5, revision: 10 },
      ]);
    },
  );

  it.each(all)('%s: what the gate knows comes back as it went in', async (name, row) => {
    const owner = await someone();
    const table = tableOf(name);
    await upsertRows(db.pool, table, owner, [at(owner, row, 10, 1)]);
    const contentHash = row.contentHash.toString('hex');
    expect(await held(owner, row)).toEqual({ localDate: '2026-09-14', providerRecordId: 'doc', state: state(10, { contentHash }) });
    const bare = state(11, {
      ...{ contentHash, inputHash: undefined, providerVersion: undefined, clockDomain: undefined, epochFresh: undefined },
      ...{ coverageEnd: undefined, doubt: undefined, trail: [], unsettled: false, via: 'pull', complete: true },
    });
    expect(await touchRows(db.pool, table, owner, [{ ...row, owner, state: bare, collection: 'other' }])).toBe(1);
    expect((await held(owner, row))?.state).toEqual(bare);
    const lacks = { ...bare, doubt: { row: 12 as const, contentHash: undefined, seenTo: 1, notBefore: 2 } };
    await touchRows(db.pool, table, owner, [{ ...row, owner, state: lacks, collection: undefined }]);
    expect((await held(owner, row))?.state).toEqual(lacks);
    const { rows } = await db.pool.query(`select collection, revision from ${name} where tenant_id = $1`, [owner.tenantId]);
    expect(rows).toEqual([{ collection: 'other', revision: 1 }]);
    expect(await touchRows(db.pool, table, owner, [{ ...row, owner, state: state(9), collection: undefined }])).toBe(0);
  });

  it.each(all)(
    '%s: is read back by key and by document, marked as gone, and not brought back by an older row',
    async (name, row, other) => {
      const table = tableOf(name);
      const owner = await someone();
      const another = { ...other, providerRecordId: 'another' };
      await upsertRows(db.pool, table, owner, [at(owner, row, 10, 1), at(owner, another, 10, 2)]);
      const documents = [
        { connectionId: owner.connectionId, providerRecordId: 'nothing' },
        { connectionId: owner.connectionId, providerRecordId: 'doc' },
      ];
      const [found, ...more] = await readHeldOfDocuments(db.pool, table, owner, documents);
      expect([found && rowName(found), found?.of, found?.localDate, more]).toEqual([rowName(row), 1, '2026-09-14', []]);
      const keys = [
        { ...row, sourceId: 'unknown', owner },
        { ...other, owner },
        { ...row, owner },
      ];
      expect((await readHeld(db.pool, table, owner, keys)).map((one) => one?.providerRecordId)).toEqual([undefined, 'another', 'doc']);

      expect(await removeRows(db.pool, table, owner, [goes(owner, row, 10, 3)])).toEqual(new Map());
      expect(await removeRows(db.pool, table, owner, [goes(owner, row, 20, 3)])).toEqual(
        new Map([[3, { id: 'src', type: 'watch', manufacturer: 'Acme' }]]),
      );
      expect(await removeRows(db.pool, table, owner, [goes(owner, row, 30, 4)])).toEqual(new Map());
      expect(await upsertRows(db.pool, table, owner, [at(owner, row, 20, 4)])).toBe(0);
      expect((await held(owner, row))?.state).toMatchObject({ version: 20, deleted: true, withdrawn: false });
      expect(await replaceRows(db.pool, table, owner, [at(owner, row, 21, 5)])).toBe(1);
      expect((await held(owner, row))?.state).toMatchObject({ version: 21, deleted: false });
      await removeRows(db.pool, table, owner, [{ ...goes(owner, row, 22, 6), reason: 'rekeyed' }]);
      expect((await held(owner, row))?.state).toMatchObject({ deleted: true, withdrawn: true });
    },
  );

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
        await upsertRows(db.pool, table, owner, [at(owner, row, 0, 1)]);
        for (const { version, gone } of steps) {
          const step = { ...row, contentHash: Buffer.from(String(version)) };
          if (gone) {
            await removeRows(db.pool, table, owner, [goes(owner, step, version, 1)]);
            // What is gone already is seen to be gone at a newer version.
            const known = (await held(owner, row))?.state;
            if (known?.deleted)
              await touchRows(db.pool, table, owner, [{ ...step, owner, state: { ...known, version }, collection: undefined }]);
          } else await upsertRows(db.pool, table, owner, [at(owner, step, version, 1)]);
        }
        const newest = Math.max(...steps.map(({ version }) => version));
        const { gone } = steps.find(({ version }) => version === newest) as { gone: boolean };
        const end = await held(owner, row);
        expect(end?.state).toMatchObject({ deleted: gone, version: newest });
        if (!gone) expect(end?.state.contentHash).toEqual(Buffer.from(String(newest)).toString('hex'));
      }),
      { numRuns: 25 },
    );
  });

  it('samples come out as they went in', async () => {
    const owner = await someone();
    const stream = { ...heart, item: 'ride', workoutId: 'ride', samples: { ...heart.samples, offsetsS: [], values: [], intervalS: 60 } };
    await upsertRows(db.pool, tableOf('series_day'), owner, [at(owner, heart, 1, 1), at(owner, stream, 1, 2)]);
    const keys = [
      { ...stream, owner },
      { ...heart, item: 'none', owner },
      { ...heart, owner },
    ];
    expect(await readSamples(db.pool, owner, keys)).toEqual([stream.samples, undefined, heart.samples]);
  });

  it('people are taken by one transaction at a time, whoever else waits for others', async () => {
    const owner = await someone();
    const [one, other] = await Promise.all([db.pool.connect(), db.pool.connect()]);
    try {
      await one.query('begin');
      await other.query('begin');
      await lockPeople(one, owner, [owner, { ...owner, userId: 'second' }]);
      await lockPeople(other, owner, [
        { ...owner, userId: 'third' },
        { ...owner, provider: 'polar' },
      ]);
      let taken = false;
      const waiting = lockPeople(other, owner, [owner]).then(() => {
        taken = true;
      });
      await new Promise((done) => setTimeout(done, 50));
      expect(taken).toBe(false);
      await one.query('commit');
      await waiting;
      expect(taken).toBe(true);
    } finally {
      await other.query('rollback');
      one.release();
      other.release();
    }
  });
});
