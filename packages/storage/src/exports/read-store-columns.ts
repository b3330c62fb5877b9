import type { Sql } from '../sql.js';

/** How the rows of a table are told apart, and which of its columns are bytes. */
export interface StoreColumns {
  /** Of the primary key, else all that are no bytes and can be ordered. */
  readonly order: readonly { readonly name: string; readonly type: string }[];
  readonly bytes: readonly string[];
}

export async function readStoreColumns(sql: Sql, table: string): Promise<StoreColumns> {
  const { rows } = await sql.query<{ name: string; type: string; place: number | null }>({
    name: 'exports/read-store-columns',
    text: `
      select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, array_position(i.indkey::int2[], a.attnum) as place
      from pg_attribute a
      left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
      where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
      order by a.attnum`,
    values: [table],
  });
  const key = rows.filter((row) => row.place !== null).sort((a, b) => (a.place as number) - (b.place as number));
  const sortable = rows.filter((row) => !/bytea|json|\[\]/.test(row.type));
  return {
    order: (key.length > 0 ? key : sortable).map(({ name, type }) => ({ name, type })),
    bytes: rows.filter((row) => row.type === 'bytea').map((row) => row.name),
  };
}
