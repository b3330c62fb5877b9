import type { Scope, Source } from '@tributary/domain';
import type { RecordKey } from '../records/record-row.js';
import { recordTables } from '../records/record-table.js';
import type { Sql } from '../sql.js';

/** A live row, with what decides whether its day is closed. */
export type RowOfDays = RecordKey & {
  readonly version: number;
  readonly source: Source;
  readonly timeZone: string | null;
  readonly utcOffsetS: number | null;
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
  { tenantId, environment, connectionId, collection, from, to }: DaysOfCollection,
): Promise<RowOfDays[]> {
  const { rows } = await sql.query<RowOfDays & Record<string, unknown>>({
    name: 'reads/held-of-days',
    text,
    values: [tenantId, environment, connectionId, collection, from, to],
  });
  return rows;
}

/** In every table, all of its keys under one name; those that a table has not are null. */
const names = { metric: 'metric', kind: 'kind', recordId: 'record_id', item: 'item' } as const;

/** `select` list of a row of {@link RowOfDays}, called `r`. */
export function rowOfDaysFields({ name, key }: (typeof recordTables)[number]): string {
  const keys = Object.entries(names).map(
    ([property, column]) => `${(key as readonly string[]).includes(property) ? `r.${column}` : 'null::text'} as "${property}"`,
  );
  return `'${name}'::text as "table", ${keys.join(', ')}, r.source_id as "sourceId", r.local_date as "localDate", r.version, r.source,
      r.time_zone as "timeZone", r.utc_offset_s as "utcOffsetS"`;
}

const text = recordTables
  .map(
    (table) => `
    select ${rowOfDaysFields(table)}
    from ${table.name} r
    where r.tenant_id = $1 and r.environment = $2 and r.connection_id = $3 and r.collection = $4
      and r.local_date >= $5::date and r.local_date < $6::date and not r.deleted`,
  )
  .join(' union all ');
