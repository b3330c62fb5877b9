import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface StoredApiKey extends Scope {
  readonly id: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly scopes: readonly string[];
  /** Not noted as used within the last minute. */
  readonly stale: boolean;
}

/** By hash alone: the key is what tells us whose request it is. */
export async function findApiKey(sql: Sql, hash: Buffer): Promise<StoredApiKey | undefined> {
  const { rows } = await sql.query<StoredApiKey & Record<string, unknown>>({
    name: 'find-api-key',
    text: `
      select tenant_id as "tenantId", environment, id, expires_at as "expiresAt", revoked_at as "revokedAt", scopes,
        last_used_at is null or last_used_at < now() - interval '1 minute' as stale
      from api_key where hash = $1`,
    values: [hash],
  });
  return rows[0];
}
