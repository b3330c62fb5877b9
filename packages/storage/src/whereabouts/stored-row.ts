import { type GateRow, gateFields, stateOf } from '../records/gate-columns.js';
import type { RecordRow, Revised, TableName } from '../records/record-row.js';

/** A row as it stands in its table. */
export type StoredRow = Revised<RecordRow>;

const text = (column: string) => `to_char(r.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const own: Readonly<Record<TableName, string>> = {
  daily_rollup: `r.metric, r.value, r.unit, r.implausible`,
  session_record: `r.kind, r.record_id as "recordId", ${text('started_at')} as "startedAt", ${text('ended_at')} as "endedAt",
        r.end_utc_offset_s as "endUtcOffsetS", r.detail`,
  measurement_record: `r.metric, r.record_id as "recordId", ${text('measured_at')} as "measuredAt", r.value, r.parts, r.unit, r.implausible,
        r.manual, r.ambiguous, r.undated`,
  series_day: `r.metric, r.item, r.workout_id as "workoutId", ${text('samples_from')} as "from", r.offsets_s as "offsetsS",
        r.sample_values as "values", r.interval_s as "intervalS", r.unit, r.implausible`,
};

/** `select` list of all that a row, called `r`, was written with; read it with {@link storedRow}. */
export function storedFields(table: TableName): string {
  return `'${table}' as "table", r.source_id as "sourceId", r.local_date as "localDate", r.provider_record_id as "providerRecordId", r.source,
        r.date_basis as "dateBasis", r.day_model as "dayModel", r.utc_offset_s as "utcOffsetS", r.time_zone as "timeZone", r.tzdb,
        r.provider_date as "providerDate", (extract(epoch from r.dated_at) * 1000)::float8 as "datedAt", r.collection, r.provisional,
        r.coverage, r.content_hash as "contentHash", r.revision, ${own[table]}, ${gateFields}`;
}

/** Nulls of the table are properties that are undefined. */
export function storedRow(found: Readonly<Record<string, unknown>>): StoredRow {
  const { from, offsetsS, values, intervalS, ...rest } = Object.fromEntries(
    Object.entries(found).map(([name, value]) => [name, value ?? undefined]),
  );
  const row = { ...rest, state: stateOf(found as unknown as GateRow) };
  return (found['table'] === 'series_day' ? { ...row, samples: { from, offsetsS, values, intervalS } } : row) as unknown as StoredRow;
}
