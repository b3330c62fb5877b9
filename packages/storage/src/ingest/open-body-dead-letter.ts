import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** A delivery that is proved and yet cannot be read or kept. The body itself is not held: nobody knows whose it is. */
export interface UnreadableDelivery extends Scope {
  readonly deadLetterId: string;
  readonly provider: string;
  readonly providerAppId: string;
  /** A stable word. */
  readonly code: 'malformed_delivery' | 'unstorable_delivery';
  /** A path or a position, never a value. */
  readonly detail: string;
  readonly bodyHash: Buffer;
  readonly bodyBytes: number;
}

/** Opens a dead letter without a window, once for each body while one is open. @returns whether it is a new one. */
export async function openBodyDeadLetter(sql: Sql, delivery: UnreadableDelivery): Promise<boolean> {
  const { tenantId, environment, deadLetterId, provider, providerAppId, code, detail, bodyHash, bodyBytes } = delivery;
  const { rowCount } = await sql.query({
    name: 'ingest/open-body-dead-letter',
    text: `
      insert into dead_letter (tenant_id, environment, id, provider, provider_app_id, bucket, code, detail, body_hash, body_bytes)
      values ($1, $2, $3, $4, $5, 'drift', $6, $7, $8, $9)
      on conflict (tenant_id, environment, provider_app_id, body_hash) where closed_at is null and connection_id is null do nothing`,
    values: [tenantId, environment, deadLetterId, provider, providerAppId, code, detail, bodyHash, bodyBytes],
  });
  return rowCount === 1;
}
