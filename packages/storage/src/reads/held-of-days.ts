import { type Scope, type Source, dailyMetrics } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { RecordKey, RecordOwner } from '../records/record-row.js';
import { recordTables } from '../records/record-table.js';
import type { Sql } from '../sql.js';

/** A live row, with what decides whether its day is closed. */
export type RowOfDays = RecordKey & {
  readonly version: number;
  readonly source: Source;
  readonly providerRecordId: string;
  readonly timeZone: string | null;
  readonly utcOffsetS: number | null;
  /** Start of the last look that showed it, epoch milliseconds. */
  readonly freshFrom: number;
};

export interface DaysOfCollection extends Scope {
  readonly connectionId: string;
  readonly collection: string;
  /** Civil days, `to` exclusive. */
  readonly from: string;
  readonly to: string;
}

/** What we hold of these days of a collection; deleted rows left out. */
export async function readHeldOfDays(
  sql: Sql,
  { tenantId, environment, userId, provider, connectionId, collection, from, to }: DaysOfCollection & RecordOwner,
): Promise<RowOfDays[]> {
  const { rows } = await sql.query<RowOfDays & Record<string, unknown>>({
    name: 'reads/held-of-days',
    text,
    values: [tenantId, environment, userId, provider, connectionId, collection, from, to, metrics],
  });
  return rows;
}

const metrics = pgArray('text', Object.keys(dailyMetrics));

/** In every table, all of its keys under one name; those that a table has not are null. */
const names = { metric: 'metric', kind: 'kind', recordId: 'record_id', item: 'item' } as const;

/** `select` list of a row of {@link RowOfDays}, called `r`. */
export function rowOfDaysFields({ name, key }: (typeof recordTables)[number]): string {
  const keys = Object.entries(names).map(
    ([property, column]) => `${(key as readonly string[]).includes(property) ? `r.${column}` : 'null::text'} as "${property}"`,
  );
  return `'${name}'::text as "table", ${keys.join(', ')}, r.source_id as "sourceId", r.local_date as "localDate", r.version, r.source, r.provider_record_id as "providerRecordId",
      r.time_zone as "timeZone", r.utc_offset_s as "utcOffsetS", r.fresh_from as "freshFrom"`;
}

/** The date stands in an index behind each of these: named, they cost a descent each and not all rows of a person. */
const leads: Readonly<Partial<Record<(typeof recordTables)[number]['name'], string>>> = {
  daily_rollup: 'and r.metric = any($9::text[])',
  session_record: `and r.kind in ('sleep', 'workout')`,
};

const text = recordTables
  .map(
    (table) => `
    select ${rowOfDaysFields(table)}
    from ${table.name} r
    where r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4 ${leads[table.name] ?? ''}
      and r.local_date >= $7::date and r.local_date < $8::date and r.connection_id = $5 and r.collection = $6 and not r.deleted`,
  )
  .join(' union all ');
