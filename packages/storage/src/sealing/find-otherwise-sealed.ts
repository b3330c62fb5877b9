import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { SealedColumn } from './sealed-columns.js';

/** A value that another key than the wanted one has sealed, and where it stands. */
export interface OtherwiseSealed extends Scope {
  readonly id: string;
  readonly sealed: Buffer;
}

/**
 * Some values of one column that another key than `keyId` has sealed (its name stands in the value, behind a version and a length), in
 * the order of the table's key, behind `after`.
 */
export async function findOtherwiseSealed(
  sql: Sql,
  { table, column }: SealedColumn,
  keyId: string,
  after: Pick<OtherwiseSealed, 'tenantId' | 'environment' | 'id'> | undefined,
): Promise<OtherwiseSealed[]> {
  const { rows } = await sql.query<OtherwiseSealed & Record<string, unknown>>({
    name: `sealing/find-${table}-${column}`,
    text: `
      select tenant_id as "tenantId", environment, id, ${column} as sealed from ${table}
       where ${column} is not null and substring(${column} from 3 for get_byte(${column}, 1)) <> convert_to($1, 'UTF8')
         and (tenant_id, environment, id) > ($2, $3, $4)
       order by tenant_id, environment, id limit 500`,
    values: [keyId, after?.tenantId ?? '', after?.environment ?? '', after?.id ?? ''],
  });
  return rows;
}
