import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface SealedTokens {
  readonly accessToken: Buffer;
  readonly refreshToken: Buffer;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Stores a new pair; call it while the connection is locked, and before the pair is used. */
export async function storeTokens(sql: Sql, { tenantId, environment }: Scope, connectionId: string, tokens: SealedTokens): Promise<void> {
  await sql.query({
    name: 'tokens/store-tokens',
    text: `
      update connection set access_token = $4, refresh_token = $5, token_expires_at = $6, updated_at = clock_timestamp()
      where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, connectionId, tokens.accessToken, tokens.refreshToken, new Date(tokens.expiresAt)],
  });
}
