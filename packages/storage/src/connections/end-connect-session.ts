import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface ConsentEnd {
  readonly is: 'connected' | 'denied' | 'failed';
  readonly code: string | undefined;
  readonly connectionId: string | undefined;
}

/** Keeps how a consent ended, for the page that the person sees next. */
export async function endConnectSession(sql: Sql, { tenantId, environment }: Scope, id: string, end: ConsentEnd): Promise<void> {
  await sql.query({
    name: 'connections/end-connect-session',
    text: `
      update connect_session set end_is = $4, end_code = $5, connection_id = $6, ended_at = clock_timestamp()
      where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id, end.is, end.code ?? null, end.connectionId ?? null],
  });
}
