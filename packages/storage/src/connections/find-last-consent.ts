import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface EndedConsent {
  readonly provider: string;
  readonly is: 'connected' | 'denied' | 'failed';
  readonly code: string | null;
  readonly connectionId: string | null;
  /** Of the connection as it is now; null: there is none. */
  readonly scopes: readonly string[] | null;
}

/** How the last consent that began with a link ended; undefined: none has. */
export async function findLastConsent(sql: Sql, { tenantId, environment }: Scope, linkId: string): Promise<EndedConsent | undefined> {
  const { rows } = await sql.query<EndedConsent & Record<string, unknown>>({
    name: 'connections/find-last-consent',
    text: `
      select a.provider, s.end_is as is, s.end_code as code, s.connection_id as "connectionId", c.scopes
      from connect_session s
      join provider_app a on a.tenant_id = s.tenant_id and a.environment = s.environment and a.id = s.provider_app_id
      left join connection c on c.tenant_id = s.tenant_id and c.environment = s.environment and c.id = s.connection_id
      where s.tenant_id = $1 and s.environment = $2 and s.link_id = $3 and s.end_is is not null
      order by s.ended_at desc limit 1`,
    values: [tenantId, environment, linkId],
  });
  return rows[0];
}
