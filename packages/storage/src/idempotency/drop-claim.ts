import type { Sql } from '../sql.js';
import type { AnswerKey } from './claim-answer.js';

/** Gives a key back that led to no answer worth keeping: the request may be sent again and is worked anew. */
export async function dropClaim(sql: Sql, claim: AnswerKey & { readonly leaseToken: string }): Promise<void> {
  await sql.query({
    name: 'drop-claim',
    text: `
      delete from kept_answer
      where tenant_id = $1 and environment = $2 and api_key_id = $3 and idempotency_hash = $4 and lease_token = $5 and status is null`,
    values: [claim.tenantId, claim.environment, claim.apiKeyId, claim.idempotencyHash, claim.leaseToken],
  });
}
