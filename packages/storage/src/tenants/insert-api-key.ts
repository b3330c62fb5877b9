import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface NewApiKey extends Scope {
  readonly id: string;
  readonly name: string;
  /** First characters, so that a person can tell keys apart. */
  readonly prefix: string;
  /** SHA-256 of the whole key: the key itself is never stored. */
  readonly hash: Buffer;
  readonly expiresAt: Date | undefined;
  /** What it may do; undefined: everything. */
  readonly scopes?: readonly string[] | undefined;
}

export async function insertApiKey(sql: Sql, key: NewApiKey): Promise<void> {
  await sql.query({
    name: 'insert-api-key',
    text: `
      insert into api_key (tenant_id, environment, id, name, prefix, hash, expires_at, scopes)
      values ($1, $2, $3, $4, $5, $6, $7, coalesce($8::text[], '{*}'))`,
    values: [key.tenantId, key.environment, key.id, key.name, key.prefix, key.hash, key.expiresAt ?? null, key.scopes ?? null],
  });
}
