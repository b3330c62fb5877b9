import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface LockedGrant {
  readonly connectionId: string;
  readonly providerAppId: string;
  readonly subjectId: string;
  /** Sealed in the context `connection:<id>:access`. */
  readonly accessToken: Buffer | null;
}

/** Waits for whoever writes about these connections, and keeps everyone out until the transaction ends. */
export async function lockGrants(sql: Sql, { tenantId, environment }: Scope, userId: string): Promise<LockedGrant[]> {
  const { rows } = await sql.query<LockedGrant & Record<string, unknown>>({
    name: 'lock-grants',
    text: `
      select id as "connectionId", provider_app_id as "providerAppId", subject_id as "subjectId", access_token as "accessToken"
      from connection where tenant_id = $1 and environment = $2 and user_id = $3 order by id
      for update`,
    values: [tenantId, environment, userId],
  });
  return rows;
}
