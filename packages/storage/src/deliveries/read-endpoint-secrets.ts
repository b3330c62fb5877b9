import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface SealedEndpointSecret {
  readonly id: string;
  readonly sealed: Buffer;
}

/** Secrets of an endpoint that are live now, newest first: each signs. */
export async function readEndpointSecrets(sql: Sql, endpoint: Scope & { readonly endpointId: string }): Promise<SealedEndpointSecret[]> {
  const { rows } = await sql.query<SealedEndpointSecret>({
    name: 'read-endpoint-secrets',
    text: `
      select id, sealed from endpoint_secret
       where tenant_id = $1 and environment = $2 and endpoint_id = $3 and (retires_at is null or retires_at > now())
       order by created_at desc, id desc`,
    values: [endpoint.tenantId, endpoint.environment, endpoint.endpointId],
  });
  return rows;
}
