import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { HeldStore } from './held-stores.js';
import type { StoreColumns } from './read-store-columns.js';

/** A row as JSON, and its place in the order of its table. */
export interface ExportedRow {
  readonly row: Record<string, unknown>;
  readonly place: readonly (string | null)[];
}

export interface HeldPage {
  readonly userId: string;
  readonly after: readonly (string | null)[] | undefined;
  readonly limit: number;
}

/** Bytes that say something about the person; all others are digests, tokens and what else is sealed, and are left out. */
const shownBytes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  event: { data: `convert_from(data, 'UTF8')::json` },
  webhook_delivery: { raw_body: `encode(raw_body, 'base64')` },
  delivery_attempt: { response_body: `encode(response_body, 'base64')` },
};

/**
 * Rows of one table that are the person's. Tokens and everything sealed are left out, since they open doors and say nothing about anybody;
 * so are tenant and environment.
 */
export async function readHeldRows(
  sql: Sql,
  { tenantId, environment }: Scope,
  { table, condition }: HeldStore,
  { order, bytes }: StoreColumns,
  { userId, after, limit }: HeldPage,
): Promise<ExportedRow[]> {
  const shown = shownBytes[table] ?? {};
  const extra = Object.entries(shown).map(([column, value]) => `'${column}', ${value}`);
  // Nulls, where a table has no primary key, stand for the empty text: only the order counts.
  const places = order.map(({ name }) => `coalesce(t.${name}::text, '')`).join(', ');
  const { rows } = await sql.query<ExportedRow & Record<string, unknown>>({
    name: `exports/held-rows-of-${table}${after === undefined ? '' : '-after'}`,
    text: `
      select to_jsonb(t) - $4::text[] ${extra.length === 0 ? '' : `|| jsonb_build_object(${extra.join(', ')})`} as row, array[${places}] as place
      from ${table} t
      where ${condition} ${after === undefined ? '' : `and (${places}) > (${order.map((_, n) => `($6::text[])[${n + 1}]`).join(', ')})`}
      order by ${places}
      limit $5`,
    values: [
      tenantId,
      environment,
      userId,
      ['tenant_id', 'environment', 'lease_token', ...bytes],
      limit,
      ...(after === undefined ? [] : [after]),
    ],
  });
  return rows;
}
