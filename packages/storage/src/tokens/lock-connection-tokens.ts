import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface HeldTokens {
  readonly status: string;
  readonly accessToken: Buffer | undefined;
  readonly refreshToken: Buffer | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number | undefined;
}

/**
 * Takes the connection for changing its tokens or status: one process at a time, others wait and then read what it stored. Does not
 * stand in the way of statements that only need the connection to exist (for key share).
 */
export async function lockConnectionTokens(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
): Promise<HeldTokens | undefined> {
  const { rows } = await sql.query<{
    status: string;
    access_token: Buffer | null;
    refresh_token: Buffer | null;
    token_expires_at: Date | null;
  }>({
    name: 'tokens/lock-connection-tokens',
    text: `
      select status, access_token, refresh_token, token_expires_at from connection
      where tenant_id = $1 and environment = $2 and id = $3
      for no key update`,
    values: [tenantId, environment, connectionId],
  });
  const row = rows[0];
  return (
    row && {
      status: row.status,
      accessToken: row.access_token ?? undefined,
      refreshToken: row.refresh_token ?? undefined,
      expiresAt: row.token_expires_at?.getTime(),
    }
  );
}
