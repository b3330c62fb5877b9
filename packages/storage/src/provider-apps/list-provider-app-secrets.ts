import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { SealedSecret } from './load-live-secrets.js';

export interface ListedSecret {
  readonly id: string;
  readonly purpose: SealedSecret['purpose'];
  readonly createdAt: Date;
  readonly retiresAt: Date | null;
  readonly live: boolean;
}

/** Newest first, those that have ended too. Never what they are. */
export async function listProviderAppSecrets(sql: Sql, { tenantId, environment }: Scope, providerAppId: string): Promise<ListedSecret[]> {
  const { rows } = await sql.query<ListedSecret & Record<string, unknown>>({
    name: 'provider-apps/list-secrets',
    text: `
      select id, purpose, created_at as "createdAt", retires_at as "retiresAt", retires_at is null or retires_at > now() as live
      from provider_app_secret where tenant_id = $1 and environment = $2 and provider_app_id = $3
      order by created_at desc, id desc limit 200`,
    values: [tenantId, environment, providerAppId],
  });
  return rows;
}
