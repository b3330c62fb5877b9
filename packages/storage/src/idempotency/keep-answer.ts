import type { Sql } from '../sql.js';
import type { AnswerKey } from './claim-answer.js';

export interface NewAnswer extends AnswerKey {
  readonly leaseToken: string;
  readonly status: number;
  readonly sealed: Buffer;
  /** Our own ids in the request's path and the answer. */
  readonly mentions: readonly string[];
}

/**
 * Keeps the answer under a claim that is still ours. One that names a person or connection that is not there (any more) is not kept: an
 * erasure that ran meanwhile has not seen it.
 * @returns false: nothing was kept, and the claim stands until it is dropped or its lease ends.
 */
export async function keepAnswer(sql: Sql, answer: NewAnswer): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'keep-answer',
    text: `
      update kept_answer set status = $6, sealed_answer = $7, mentions = $8
      where tenant_id = $1 and environment = $2 and api_key_id = $3 and idempotency_hash = $4 and lease_token = $5 and status is null
        and not exists (
          select from unnest($8::text[]) as named
          where (named like 'usr\\_%' and not exists (
              select from app_user u where u.tenant_id = $1 and u.environment = $2 and u.id = named))
            or (named like 'con\\_%' and not exists (
              select from connection c where c.tenant_id = $1 and c.environment = $2 and c.id = named)))`,
    values: [
      answer.tenantId,
      answer.environment,
      answer.apiKeyId,
      answer.idempotencyHash,
      answer.leaseToken,
      answer.status,
      answer.sealed,
      [...answer.mentions],
    ],
  });
  return rowCount === 1;
}
