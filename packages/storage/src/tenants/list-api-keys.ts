import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
}

/** Oldest first, those after the id `after`; revoked ones too. With `id` only that one. */
export async function listApiKeys(
  sql: Sql,
  { tenantId, environment }: Scope,
  { id, after, limit }: { id?: string; after: string; limit: number },
): Promise<ApiKeyRow[]> {
  const { rows } = await sql.query<ApiKeyRow & Record<string, unknown>>({
    name: 'list-api-keys',
    text: `
      select id, name, prefix, scopes, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
        last_used_at as "lastUsedAt"
      from api_key
      where tenant_id = $1 and environment = $2 and id > $3 and ($4::text is null or id = $4)
      order by id limit $5`,
    values: [tenantId, environment, after, id ?? null, limit],
  });
  return rows;
}
