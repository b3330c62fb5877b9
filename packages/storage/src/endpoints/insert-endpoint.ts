import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type EndpointSettings, settingColumns, settingValues } from './endpoint-settings.js';

export interface NewEndpoint extends Scope, EndpointSettings {
  readonly id: string;
  readonly secretId: string;
  /** Sealed in the context `endpoint_secret:<secretId>`. */
  readonly sealedSecret: Buffer;
  /** `whpk_…` of the private key that is sealed with it; null: there is none. */
  readonly publicKey: string | null;
}

/** An endpoint with its first secret. */
export async function insertEndpoint(sql: Sql, endpoint: NewEndpoint): Promise<void> {
  await sql.query({
    name: 'insert-endpoint',
    text: `
      with endpoint as (
        insert into endpoint (tenant_id, environment, id, ${settingColumns.join(', ')})
        values ($1, $2, $3, ${settingColumns.map((_, at) => `$${at + 7}`).join(', ')})
        returning tenant_id, environment, id
      )
      insert into endpoint_secret (tenant_id, environment, endpoint_id, id, sealed, public_key)
      select tenant_id, environment, id, $4, $5, $6 from endpoint`,
    values: [
      endpoint.tenantId,
      endpoint.environment,
      endpoint.id,
      endpoint.secretId,
      endpoint.sealedSecret,
      endpoint.publicKey,
      ...settingValues(endpoint),
    ],
  });
}
