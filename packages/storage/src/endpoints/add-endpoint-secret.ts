import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface AddedEndpointSecret extends Scope {
  readonly endpointId: string;
  readonly id: string;
  readonly sealed: Buffer;
  /** `whpk_…` of the private key that is sealed with it; null: there is none. */
  readonly publicKey: string | null;
  /** How long the earlier ones still sign beside it; one that ends sooner already keeps its end. */
  readonly overlapS: number;
}

export async function addEndpointSecret(sql: Sql, secret: AddedEndpointSecret): Promise<void> {
  await sql.query({
    name: 'add-endpoint-secret',
    text: `
      with retiring as (
        update endpoint_secret set retires_at = now() + make_interval(secs => $6)
        where tenant_id = $1 and environment = $2 and endpoint_id = $3
          and (retires_at is null or retires_at > now() + make_interval(secs => $6))
      )
      insert into endpoint_secret (tenant_id, environment, endpoint_id, id, sealed, public_key)
      values ($1, $2, $3, $4, $5, $7)`,
    values: [secret.tenantId, secret.environment, secret.endpointId, secret.id, secret.sealed, secret.overlapS, secret.publicKey],
  });
}
