import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import { recordTables } from '../records/record-table.js';
import type { Sql } from '../sql.js';
import { type RowOfDays, rowOfDaysFields } from './held-of-days.js';

export interface CollectionsOfConnection extends Scope {
  readonly connectionId: string;
  readonly collections: readonly string[];
}

/** Some live rows of these collections of a connection. */
export async function readRowsOfCollections(
  sql: Sql,
  { tenantId, environment, connectionId, collections }: CollectionsOfConnection,
  limit: number,
): Promise<RowOfDays[]> {
  const { rows } = await sql.query<RowOfDays & Record<string, unknown>>({
    name: 'reads/rows-of-collections',
    text,
    values: [tenantId, environment, connectionId, pgArray('text', collections), limit],
  });
  return rows;
}

const text = `select * from (${recordTables
  .map(
    (table) => `
    select ${rowOfDaysFields(table)}
    from ${table.name} r
    where r.tenant_id = $1 and r.environment = $2 and r.connection_id = $3 and r.collection = any($4::text[]) and not r.deleted`,
  )
  .join(' union all ')}) r limit $5`;
