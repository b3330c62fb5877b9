import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface AddedSecret extends Scope {
  readonly providerAppId: string;
  readonly id: string;
  readonly purpose: string;
  readonly sealed: Buffer;
  /** How long the earlier ones of this purpose stay live beside it; one that ends sooner already keeps its end. */
  readonly overlapS: number;
}

/** @returns how many earlier secrets now have an end. */
export async function addProviderAppSecret(sql: Sql, secret: AddedSecret): Promise<number> {
  const { rows } = await sql.query<{ retiring: number }>({
    name: 'add-provider-app-secret',
    text: `
      with retiring as (
        update provider_app_secret set retires_at = now() + make_interval(secs => $7)
        where tenant_id = $1 and environment = $2 and provider_app_id = $3 and purpose = $5
          and (retires_at is null or retires_at > now() + make_interval(secs => $7))
        returning 1
      ), added as (
        insert into provider_app_secret (tenant_id, environment, provider_app_id, id, purpose, sealed)
        values ($1, $2, $3, $4, $5, $6)
      )
      select count(*)::int as retiring from retiring`,
    values: [secret.tenantId, secret.environment, secret.providerAppId, secret.id, secret.purpose, secret.sealed, secret.overlapS],
  });
  return rows[0]?.retiring ?? 0;
}
