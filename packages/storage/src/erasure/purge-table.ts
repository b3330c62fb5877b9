import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { Purge } from './registry.js';

/** Runs one line of the registry. @returns how many rows it took. */
export async function purgeTable(sql: Sql, { tenantId, environment }: Scope, userId: string, purge: Purge): Promise<number> {
  const { rowCount } = await sql.query({ name: `purge-${purge.name}`, text: purge.text, values: [tenantId, environment, userId] });
  return rowCount ?? 0;
}
