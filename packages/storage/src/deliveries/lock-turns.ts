import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** To the end of the transaction, nobody else decides whose turn it is at this ordered endpoint. */
export async function lockTurns(sql: Sql, { tenantId, environment, endpointId }: Scope & { readonly endpointId: string }): Promise<void> {
  await sql.query({
    name: 'lock-turns',
    text: `select pg_advisory_xact_lock(hashtextextended('turns ' || $1, 0)), set_config('synchronous_commit', 'off', true)`,
    values: [`${tenantId} ${environment} ${endpointId}`],
  });
}
