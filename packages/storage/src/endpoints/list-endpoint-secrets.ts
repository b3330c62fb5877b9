import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface EndpointSecretRow {
  readonly id: string;
  readonly sealed: Buffer;
  /** `whpk_…` of the private key that is sealed with it; null: there is none. */
  readonly publicKey: string | null;
  readonly createdAt: Date;
  /** It signs until then; null: until it is revoked or another one takes its place. */
  readonly retiresAt: Date | null;
}

/** Secrets that sign now, newest first. */
export async function listEndpointSecrets(sql: Sql, { tenantId, environment }: Scope, endpointId: string): Promise<EndpointSecretRow[]> {
  const { rows } = await sql.query<EndpointSecretRow & Record<string, unknown>>({
    name: 'endpoints/list-endpoint-secrets',
    text: `
      select id, sealed, public_key as "publicKey", created_at as "createdAt", retires_at as "retiresAt" from endpoint_secret
      where tenant_id = $1 and environment = $2 and endpoint_id = $3 and (retires_at is null or retires_at > now())
      order by created_at desc, id desc`,
    values: [tenantId, environment, endpointId],
  });
  return rows;
}
