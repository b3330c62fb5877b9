import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface SealedSecret {
  readonly id: string;
  readonly purpose: 'client_secret' | 'webhook_secret' | 'verification_token' | 'service_account';
  /** Opens in the context `provider_app_secret:<id>`. */
  readonly sealed: Buffer;
}

/** What is live now, newest first. */
export async function loadLiveSecrets(sql: Sql, { tenantId, environment }: Scope, providerAppId: string): Promise<SealedSecret[]> {
  const { rows } = await sql.query<SealedSecret & Record<string, unknown>>({
    name: 'load-live-secrets',
    text: `
      select id, purpose, sealed from provider_app_secret
      where tenant_id = $1 and environment = $2 and provider_app_id = $3 and (retires_at is null or retires_at > now())
      order by created_at desc, id desc`,
    values: [tenantId, environment, providerAppId],
  });
  return rows;
}
