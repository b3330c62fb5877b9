import { type PgArrayType, pgArray } from '../pg-array.js';
import { gateColumns } from './gate-columns.js';
import type {
  DailyRow,
  MeasurementRow,
  Owned,
  RecordKey,
  RecordRow,
  RowWrite,
  SeriesRow,
  SleepRow,
  TableName,
  WorkoutRow,
} from './record-row.js';

type KeyName = 'metric' | 'kind' | 'localDate' | 'sourceId' | 'recordId' | 'item';

const keyColumns: Readonly<Record<KeyName, string>> = {
  metric: 'metric',
  kind: 'kind',
  localDate: 'local_date',
  sourceId: 'source_id',
  recordId: 'record_id',
  item: 'item',
};

/** One column of an upsert: how it is sent, and what it becomes. */
interface Column {
  readonly name: string;
  readonly type: PgArrayType;
  readonly cast: string;
  of(write: RowWrite): string | number | boolean | Buffer | undefined;
}

/** The four tables of records differ in their keys and columns, and in nothing that a statement does with them. */
export interface RecordTable {
  readonly name: TableName;
  /** What, after tenant, environment, user and provider, is its primary key. */
  readonly key: readonly KeyName[];
  readonly columns: readonly Column[];
}

/** A table's statements are given rows of that table only. */
function column<Row extends RecordRow>(name: string, type: PgArrayType, of: (row: Row) => ReturnType<Column['of']>, cast = ''): Column {
  return { name, type, cast, of: ({ row }) => of(row as unknown as Row) };
}

const key = (name: KeyName): Column =>
  column(keyColumns[name], 'text', (row) => (row as RecordKey)[name], name === 'localDate' ? '::date' : '');

const dated: readonly Column[] = [
  column('provider_record_id', 'text', (r) => r.providerRecordId),
  column('source', 'text', (r) => JSON.stringify(r.source), '::jsonb'),
  column('date_basis', 'text', (r) => r.dateBasis),
  column('day_model', 'text', (r) => r.dayModel),
  column('utc_offset_s', 'int4', (r) => r.utcOffsetS),
  column('time_zone', 'text', (r) => r.timeZone),
  column('tzdb', 'text', (r) => r.tzdb),
  column('provider_date', 'text', (r) => r.providerDate, '::date'),
  column('dated_at', 'text', (r) => (r.datedAt === undefined ? undefined : new Date(r.datedAt).toISOString()), '::timestamptz'),
  column('collection', 'text', (r) => r.collection),
  column('coverage', 'float8', (r) => r.coverage),
  column('provisional', 'bool', (r) => r.provisional),
  { name: 'revision', type: 'int8', cast: '', of: ({ revision }) => revision },
  column('content_hash', 'bytea', (r) => r.contentHash),
  ...gateColumns.map(({ name, type, of, cast }): Column => ({ name, type, cast, of: ({ state }) => of(state) })),
];

const dailyTable: RecordTable = {
  name: 'daily_rollup',
  key: ['metric', 'localDate', 'sourceId'],
  columns: [
    key('metric'),
    key('localDate'),
    key('sourceId'),
    column<DailyRow>('value', 'float8', (r) => r.value),
    column<DailyRow>('unit', 'text', (r) => r.unit),
    column<DailyRow>('implausible', 'bool', (r) => r.implausible),
    ...dated,
  ],
};

const sessionTable: RecordTable = {
  name: 'session_record',
  key: ['kind', 'sourceId', 'recordId'],
  columns: [
    key('kind'),
    key('sourceId'),
    key('recordId'),
    key('localDate'),
    column<SleepRow | WorkoutRow>('started_at', 'text', (r) => r.startedAt, '::timestamptz'),
    column<SleepRow | WorkoutRow>('ended_at', 'text', (r) => r.endedAt, '::timestamptz'),
    column<SleepRow | WorkoutRow>('end_utc_offset_s', 'int4', (r) => r.endUtcOffsetS),
    column<SleepRow | WorkoutRow>('detail', 'text', (r) => JSON.stringify(r.detail), '::jsonb'),
    ...dated,
  ],
};

const measurementTable: RecordTable = {
  name: 'measurement_record',
  key: ['metric', 'sourceId', 'recordId'],
  columns: [
    key('metric'),
    key('sourceId'),
    key('recordId'),
    key('localDate'),
    column<MeasurementRow>('measured_at', 'text', (r) => r.measuredAt, '::timestamptz'),
    column<MeasurementRow>('value', 'float8', (r) => r.value),
    column<MeasurementRow>('parts', 'text', (r) => r.parts && JSON.stringify(r.parts), '::jsonb'),
    column<MeasurementRow>('unit', 'text', (r) => r.unit),
    column<MeasurementRow>('implausible', 'bool', (r) => r.implausible),
    column<MeasurementRow>('manual', 'bool', (r) => r.manual),
    column<MeasurementRow>('ambiguous', 'bool', (r) => r.ambiguous),
    column<MeasurementRow>('undated', 'bool', (r) => r.undated),
    ...dated,
  ],
};

export const seriesTable: RecordTable = {
  name: 'series_day',
  key: ['metric', 'sourceId', 'item'],
  columns: [
    key('metric'),
    key('sourceId'),
    key('item'),
    key('localDate'),
    column<SeriesRow>('workout_id', 'text', (r) => r.workoutId),
    column<SeriesRow>('samples_from', 'text', (r) => r.samples.from, '::timestamptz'),
    // Arrays of arrays have no ragged form, so each goes as the text of one.
    column<SeriesRow>('offsets_s', 'text', (r) => `{${r.samples.offsetsS.join()}}`, '::int4[]'),
    column<SeriesRow>('sample_values', 'text', (r) => `{${r.samples.values.join()}}`, '::float8[]'),
    column<SeriesRow>('interval_s', 'int4', (r) => r.samples.intervalS),
    column<SeriesRow>('unit', 'text', (r) => r.unit),
    column<SeriesRow>('implausible', 'bool', (r) => r.implausible),
    ...dated,
  ],
};

const tables = {
  daily_rollup: dailyTable,
  session_record: sessionTable,
  measurement_record: measurementTable,
  series_day: seriesTable,
} as const satisfies Record<TableName, RecordTable>;

/** In the order in which a transaction touches them. */
export const recordTables: readonly RecordTable[] = Object.values(tables);

/** Names a row among those of one owner: the same for a row that was read, one to write, and one that was written. */
export function rowName(row: RecordKey): string {
  return `${row.table} ${JSON.stringify(tables[row.table].key.map((name) => row[name]))}`;
}

/** One order for every batch, so that two transactions lock rows in the same one. */
export function sortRows<T extends RecordKey & Partial<Owned<unknown>>>(table: RecordTable, rows: readonly T[]): T[] {
  return [...rows].sort((a, b) => compareRows(table, a, b));
}

type MaybeOwned = RecordKey & Partial<Owned<unknown>>;

/** Negative when `a` comes before `b` in that order. */
export function compareRows({ key: names }: RecordTable, a: MaybeOwned, b: MaybeOwned): number {
  if (a.owner !== b.owner && a.owner !== undefined && b.owner !== undefined) {
    const owners = compare(a.owner.userId, b.owner.userId) || compare(a.owner.provider, b.owner.provider);
    if (owners !== 0) return owners;
  }
  for (const name of names) {
    const order = compare(a[name] ?? '', b[name] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

export function keyList(table: RecordTable, alias = ''): string {
  return table.key.map((name) => `${alias}${keyColumns[name]}`).join(', ');
}

/** Columns of the key as properties of a row. */
export function keyFields(table: RecordTable, alias: string): string {
  return table.key.map((name) => `${alias}${keyColumns[name]} as "${name}"`).join(', ');
}

/** `row.metric = k.metric and …`; dates come as text. */
export function keyMatch(table: RecordTable, row: string, given: string): string {
  return table.key
    .map((name) => `${row}.${keyColumns[name]} = ${given}.${keyColumns[name]}${name === 'localDate' ? '::date' : ''}`)
    .join(' and ');
}

/** `$5::text[], $6::text[], …`, one for each column of the key. */
export function keyParameters(table: RecordTable, from: number): string {
  return table.key.map((_, index) => `$${from + index}::text[]`).join(', ');
}

export function keyArrays(table: RecordTable, rows: readonly RecordKey[]): Buffer[] {
  return table.key.map((name) =>
    pgArray(
      'text',
      rows.map((row) => row[name]),
    ),
  );
}

/** What {@link ownedKeyArrays} sends, as the columns of a `from` item. */
export function ownedKeyList(table: RecordTable): string {
  return `user_id, provider, ${keyList(table)}`;
}

/** The condition that `row` is the one that `given` names; environment in $1 and $2, dates come as text. */
export function ownedKeyMatch(table: RecordTable, row: string, given: string): string {
  const whose = ['user_id', 'provider'].map((column) => `${row}.${column} = ${given}.${column}`);
  return [`${row}.tenant_id = $1 and ${row}.environment = $2`, ...whose, keyMatch(table, row, given)].join(' and ');
}

/** `$3::text[], $4::text[], …`, one for each column of {@link ownedKeyList}. */
export function ownedKeyParameters(table: RecordTable, from: number): string {
  return Array.from({ length: table.key.length + 2 }, (_, index) => `$${from + index}::text[]`).join(', ');
}

export function ownedKeyArrays(table: RecordTable, rows: readonly Owned<RecordKey>[]): Buffer[] {
  return [
    pgArray(
      'text',
      rows.map(({ owner }) => owner.userId),
    ),
    pgArray(
      'text',
      rows.map(({ owner }) => owner.provider),
    ),
    ...keyArrays(table, rows),
  ];
}
