import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** What was missing in such numbers that a person was asked is shown again: where nothing of the connection is missing, the letters are closed. */
export async function closeAbsenceLetters(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<void> {
  await sql.query({
    name: 'reads/close-absence-letters',
    text: `
      update dead_letter set closed_at = clock_timestamp(), close_reason = 'refreshed'
      where tenant_id = $1 and environment = $2 and connection_id = $3 and code = 'mass_absence' and closed_at is null
        and not exists (select 1 from missing_row m where m.tenant_id = $1 and m.environment = $2 and m.connection_id = $3)`,
    values: [tenantId, environment, connectionId],
  });
}
