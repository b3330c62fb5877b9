import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Takes the bodies from the deliveries of a span of time and notes how far it came. The deliveries stay: they are what a repeat is known by,
 * until their partition goes. @returns how many had a body.
 */
export async function clearBodies(
  sql: Sql,
  { tenantId, environment }: Scope,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<number> {
  const { rows } = await sql.query<{ cleared: number }>({
    name: 'retention/clear-bodies',
    text: `
      with cleared as (
        update webhook_delivery set raw_body = null
        where tenant_id = $1 and environment = $2 and received_at >= $3 and received_at < $4 and raw_body is not null
        returning 1
      )
      update environment set bodies_cleared_to = greatest(bodies_cleared_to, $4)
      where tenant_id = $1 and environment = $2
      returning (select count(*)::integer from cleared) as cleared`,
    values: [tenantId, environment, from, to],
  });
  return rows[0]?.cleared ?? 0;
}
