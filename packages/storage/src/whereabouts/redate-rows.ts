import type { DateBasis, Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { RecordKey, RecordOwner } from '../records/record-row.js';
import { type RecordTable, keyArrays, keyFields, keyList, keyMatch, keyParameters, rowName, sortRows } from '../records/record-table.js';
import type { Sql } from '../sql.js';

/** A date on better ground, for a row that keeps its key. */
export type Redating = RecordKey & {
  readonly revision: number;
  /** As it was read: whoever wrote the row since knew the zone. */
  readonly version: number;
  readonly dateBasis: DateBasis;
  readonly utcOffsetS: number | undefined;
  readonly endUtcOffsetS: number | undefined;
  readonly timeZone: string | undefined;
  readonly tzdb: string | undefined;
  readonly provisional: boolean;
  readonly contentHash: Buffer;
};

/**
 * Gives rows another date, or the same one on better ground. The version becomes ours, one above what it was.
 * @returns names of the rows that were written.
 */
export async function redateRows(
  sql: Sql,
  table: RecordTable,
  owner: Scope & RecordOwner,
  rows: readonly Redating[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const sorted = sortRows(table, rows);
  const array = <K extends keyof Redating>(type: 'text' | 'int8' | 'int4' | 'bool' | 'bytea', name: K) =>
    pgArray(
      type,
      sorted.map((row) => row[name]),
    );
  const end = table.name === 'session_record' ? 'end_utc_offset_s = k.end_offset_s,' : '';
  // Where the day is of the key it stays; rows that change their key go by moveDailyRows.
  const day = table.key.includes('localDate') ? '' : 'local_date = k.day::date,';
  const { rows: written } = await sql.query<Omit<RecordKey, 'table'>>({
    name: `whereabouts/redate-${table.name}`,
    text: `
      update ${table.name} t set ${day} ${end} date_basis = k.date_basis, utc_offset_s = k.offset_s, time_zone = k.time_zone,
        tzdb = k.tzdb, provisional = k.provisional, content_hash = k.content_hash, version = t.version + 1, inferred = true,
        revision = k.revision, updated_at = clock_timestamp()
      from unnest($5::int8[], $6::int8[], $7::text[], $8::text[], $9::int4[], $10::int4[], $11::text[], $12::text[], $13::bool[], $14::bytea[],
          ${keyParameters(table, 15)})
        as k (revision, old_version, day, date_basis, offset_s, end_offset_s, time_zone, tzdb, provisional, content_hash, ${keyList(table)})
      where t.tenant_id = $1 and t.environment = $2 and t.user_id = $3 and t.provider = $4 and ${keyMatch(table, 't', 'k')}
        and t.version = k.old_version and not t.deleted
      returning ${keyFields(table, 't.')}`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      array('int8', 'revision'),
      array('int8', 'version'),
      array('text', 'localDate'),
      array('text', 'dateBasis'),
      array('int4', 'utcOffsetS'),
      array('int4', 'endUtcOffsetS'),
      array('text', 'timeZone'),
      array('text', 'tzdb'),
      array('bool', 'provisional'),
      array('bytea', 'contentHash'),
      ...keyArrays(table, sorted),
    ],
  });
  return new Set(written.map((key) => rowName({ ...key, table: table.name })));
}
