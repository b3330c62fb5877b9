import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Names one use of one Idempotency-Key. */
export interface AnswerKey extends Scope {
  readonly apiKeyId: string;
  readonly idempotencyHash: Buffer;
}

export interface AnswerClaim extends AnswerKey {
  readonly requestHash: Buffer;
  /** Fresh for each claim: who does not hold the current one keeps nothing. */
  readonly leaseToken: string;
  readonly leaseMs: number;
  readonly keepMs: number;
}

/** `mine`: this request does the work. Otherwise what another request with this key left. */
export type ClaimedAnswer =
  | { readonly is: 'mine' }
  | { readonly is: 'other-request' }
  | { readonly is: 'under-way' }
  | { readonly is: 'kept'; readonly status: number; readonly sealed: Buffer };

interface HeldRow {
  readonly mine: boolean;
  readonly same: boolean;
  readonly status: number | null;
  readonly sealed: Buffer | null;
}

/**
 * Takes the key for this request, unless another has it. Taken over is what expired, and the same request whose lease ended without an
 * answer: its process is gone.
 */
export async function claimAnswer(sql: Sql, claim: AnswerClaim): Promise<ClaimedAnswer> {
  const { rows } = await sql.query<HeldRow & Record<string, unknown>>({
    name: 'claim-answer',
    text: `
      insert into kept_answer as held (tenant_id, environment, api_key_id, idempotency_hash, request_hash, lease_token, lease_until, expires_at)
      values ($1, $2, $3, $4, $5, $6, now() + $7::float8 * interval '1 millisecond', now() + $8::float8 * interval '1 millisecond')
      on conflict (tenant_id, environment, api_key_id, idempotency_hash) do update set
        -- Locked and shown also when nothing of it changes, so there is one statement for whoever is first and for all others.
        (request_hash, lease_token, lease_until, expires_at, status, sealed_answer, mentions) = (
          select one.request_hash, one.lease_token, one.lease_until, one.expires_at, one.status, one.sealed_answer, one.mentions
          from (values
            (true, excluded.request_hash, excluded.lease_token, excluded.lease_until, excluded.expires_at, null::smallint, null::bytea, '{}'::text[]),
            (false, held.request_hash, held.lease_token, held.lease_until, held.expires_at, held.status, held.sealed_answer, held.mentions)
          ) as one (free, request_hash, lease_token, lease_until, expires_at, status, sealed_answer, mentions)
          where one.free = (held.expires_at <= now()
            or (held.status is null and held.lease_until <= now() and held.request_hash = excluded.request_hash)))
      returning lease_token = $6 as mine, request_hash = $5 as same, status, sealed_answer as sealed`,
    values: [
      claim.tenantId,
      claim.environment,
      claim.apiKeyId,
      claim.idempotencyHash,
      claim.requestHash,
      claim.leaseToken,
      claim.leaseMs,
      claim.keepMs,
    ],
  });
  const [row] = rows;
  if (row === undefined || row.mine) return { is: 'mine' };
  if (!row.same) return { is: 'other-request' };
  if (row.status === null || row.sealed === null) return { is: 'under-way' };
  return { is: 'kept', status: row.status, sealed: row.sealed };
}
