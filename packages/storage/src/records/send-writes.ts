import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RowWrite } from './record-row.js';
import { type RecordTable, compareRows } from './record-table.js';

/** A statement that takes rows as {@link sendWrites} gives them. */
export interface WriteStatement {
  readonly name: string;
  readonly text: string;
}

/** The rows of a {@link WriteStatement}, to stand behind its `from`: their owners, and the table's columns under their own names. */
export function writesAs(alias: string, { columns }: RecordTable): string {
  const types = columns.map(({ type }, index) => `$${index + 6}::${type}[]`).join(', ');
  const names = columns.map(({ name }) => name).join(', ');
  return `unnest($3::text[], $4::text[], $5::text[], ${types}) as ${alias} (user_id, provider, connection_id, ${names})`;
}

/** Sends rows in the order in which every batch locks them. @returns how many were written. */
export async function sendWrites(
  sql: Sql,
  table: RecordTable,
  { tenantId, environment }: Scope,
  writes: readonly RowWrite[],
  { name, text }: WriteStatement,
): Promise<number> {
  if (writes.length === 0) return 0;
  const sorted = [...writes].sort((a, b) => compareRows(table, a.row, b.row));
  const { rowCount } = await sql.query({
    name,
    text,
    values: [
      tenantId,
      environment,
      ...(['userId', 'provider', 'connectionId'] as const).map((field) =>
        pgArray(
          'text',
          sorted.map(({ row }) => row.owner[field]),
        ),
      ),
      ...table.columns.map((column) =>
        pgArray(
          column.type,
          sorted.map((write) => column.of(write)),
        ),
      ),
    ],
  });
  return rowCount ?? 0;
}
