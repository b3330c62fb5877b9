import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface NewEndpointSecret extends Scope {
  readonly endpointId: string;
  readonly id: string;
  /** Sealed in the context `endpoint_secret:<id>`. */
  readonly sealed: Buffer;
  readonly publicKey: string | null;
}

/** One more secret: it signs from now on, and so do the others, for as long as before. */
export async function insertEndpointSecret(sql: Sql, secret: NewEndpointSecret): Promise<void> {
  await sql.query({
    name: 'endpoints/insert-endpoint-secret',
    text: `
      insert into endpoint_secret (tenant_id, environment, endpoint_id, id, sealed, public_key, created_at)
      values ($1, $2, $3, $4, $5, $6, clock_timestamp())`,
    values: [secret.tenantId, secret.environment, secret.endpointId, secret.id, secret.sealed, secret.publicKey],
  });
}
