import type { EnvironmentName, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** A token that must still be ended at its provider; the connection may be long gone. */
export interface ClaimedRevocation extends Scope {
  readonly id: string;
  readonly providerAppId: string;
  readonly provider: string;
  readonly clientId: string;
  readonly sandbox: boolean;
  readonly accessToken: Buffer;
  readonly subjectId: Buffer;
  /** This try counted. */
  readonly attempts: number;
}

/** Takes due revocations for `leaseMs`; who is killed leaves them due again. */
export async function claimRevocations(sql: Sql, { limit, leaseMs }: { limit: number; leaseMs: number }): Promise<ClaimedRevocation[]> {
  const { rows } = await sql.query<{
    tenant_id: string;
    environment: EnvironmentName;
    id: string;
    provider_app_id: string;
    provider: string;
    client_id: string;
    sandbox: boolean;
    access_token: Buffer;
    subject_id: Buffer;
    attempts: number;
  }>({
    name: 'revocations/claim-revocations',
    text: `
      with due as materialized (
        select tenant_id, environment, id from upstream_revocation
        where due_at <= clock_timestamp()
        order by due_at
        limit $1
        for update skip locked
      )
      update upstream_revocation r set attempts = r.attempts + 1, due_at = clock_timestamp() + $2 * interval '1 millisecond'
      from due d join provider_app a on a.tenant_id = d.tenant_id and a.environment = d.environment
      where r.tenant_id = d.tenant_id and r.environment = d.environment and r.id = d.id and a.id = r.provider_app_id
      returning r.tenant_id, r.environment, r.id, r.provider_app_id, a.provider, a.client_id, a.sandbox, r.access_token, r.subject_id,
        r.attempts`,
    values: [limit, leaseMs],
  });
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    environment: row.environment,
    id: row.id,
    providerAppId: row.provider_app_id,
    provider: row.provider,
    clientId: row.client_id,
    sandbox: row.sandbox,
    accessToken: row.access_token,
    subjectId: row.subject_id,
    attempts: row.attempts,
  }));
}
