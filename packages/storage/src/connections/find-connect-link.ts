import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface ConnectLink {
  readonly id: string;
  readonly userId: string;
  readonly tenantName: string;
  /** Null: every provider that the environment has an app of. */
  readonly providers: readonly string[] | null;
  readonly returnUrl: string | null;
  readonly language: string;
  /** SHA-256 of the cookie of the browser that it belongs to; null: nobody chose anything yet. */
  readonly browserHash: Buffer | null;
  readonly expired: boolean;
  readonly ended: boolean;
}

export async function findConnectLink(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<ConnectLink | undefined> {
  const { rows } = await sql.query<ConnectLink & Record<string, unknown>>({
    name: 'connections/find-connect-link',
    text: `
      select l.id, l.user_id as "userId", t.name as "tenantName", l.providers, l.return_url as "returnUrl", l.language,
        l.browser_hash as "browserHash", l.expires_at <= now() as expired, l.ended_at is not null as ended
      from connect_link l join tenant t on t.id = l.tenant_id
      where l.tenant_id = $1 and l.environment = $2 and l.id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
