import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { TouchedDay } from './resolved-row.js';

/** Days that are to be looked at once more, and whose time has come. */
export async function readDueAgain(sql: Sql, { tenantId, environment }: Scope, limit: number): Promise<TouchedDay[]> {
  const { rows } = await sql.query<TouchedDay & Record<string, unknown>>({
    name: 'resolved/read-due-again',
    text: `
      select distinct user_id as "userId", kind, metric, local_date as "localDate" from (
        select * from resolved_record
        where judge_again_at <= statement_timestamp() and tenant_id = $1 and environment = $2
        order by judge_again_at
        limit $3) due`,
    values: [tenantId, environment, limit],
  });
  return rows;
}
