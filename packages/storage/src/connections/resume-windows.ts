import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** What was parked while there was no grant is due at once. @returns the lanes that now have work. */
export async function resumeWindows(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<number[]> {
  const { rows } = await sql.query<{ lane: number }>({
    name: 'resume-windows',
    text: `
      update fetch_window set state = 'waiting', due_at = now(), attempts = 0, contradictions = 0, lease_token = null
      where tenant_id = $1 and environment = $2 and connection_id = $3 and state = 'parked'
      returning lane`,
    values: [tenantId, environment, connectionId],
  });
  return [...new Set(rows.map((row) => row.lane))];
}
