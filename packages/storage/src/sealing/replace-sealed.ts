import type { Sql } from '../sql.js';
import type { OtherwiseSealed } from './find-otherwise-sealed.js';
import type { SealedColumn } from './sealed-columns.js';

/**
 * Puts the same plain text, sealed anew, in the place of what was read. Whoever wrote something newer meanwhile wins.
 * @returns false when it was not there any more.
 */
export async function replaceSealed(sql: Sql, { table, column }: SealedColumn, was: OtherwiseSealed, sealed: Buffer): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: `sealing/replace-${table}-${column}`,
    text: `update ${table} set ${column} = $5 where tenant_id = $1 and environment = $2 and id = $3 and ${column} = $4`,
    values: [was.tenantId, was.environment, was.id, was.sealed, sealed],
  });
  return rowCount === 1;
}
