import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface NewEndpoint extends Scope {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** Null: every type. */
  readonly eventTypes: readonly string[] | null;
  /** Null: the product's schedule. */
  readonly scheduleS: readonly number[] | null;
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
        insert into endpoint (tenant_id, environment, id, url, description, event_types, schedule_s)
        values ($1, $2, $3, $4, $5, $6, $7)
        returning tenant_id, environment, id
      )
      insert into endpoint_secret (tenant_id, environment, endpoint_id, id, sealed, public_key)
      select tenant_id, environment, id, $8, $9, $10 from endpoint`,
    values: [
      endpoint.tenantId,
      endpoint.environment,
      endpoint.id,
      endpoint.url,
      endpoint.description,
      endpoint.eventTypes,
      endpoint.scheduleS,
      endpoint.secretId,
      endpoint.sealedSecret,
      endpoint.publicKey,
    ],
  });
}
