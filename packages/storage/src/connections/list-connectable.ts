import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface Connectable {
  readonly provider: string;
  readonly sandbox: boolean;
  /** Of the user's connection there; null: there was never one. */
  readonly status: 'active' | 'reauth_required' | 'revoked' | 'disconnected' | null;
}

/** Providers that a person can consent to: those of which the environment has an app that is not disabled, by the newest one. */
export async function listConnectable(sql: Sql, { tenantId, environment }: Scope, userId: string): Promise<Connectable[]> {
  const { rows } = await sql.query<Connectable & Record<string, unknown>>({
    name: 'connections/list-connectable',
    text: `
      select distinct on (a.provider) a.provider, a.sandbox, c.status
      from provider_app a
      left join connection c on c.tenant_id = a.tenant_id and c.environment = a.environment and c.user_id = $3 and c.provider = a.provider
      where a.tenant_id = $1 and a.environment = $2 and a.state <> 'disabled'
      order by a.provider, a.created_at desc, a.id desc`,
    values: [tenantId, environment, userId],
  });
  return rows;
}
