import { Problem } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { type AnswerKey, claimAnswer, dropClaim, keepAnswer } from '@tributary/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import { hashKey, hashRequest, idsIn, isWorthKeeping, passedOnHeaders } from './idempotency-rules.js';

/** Longer than any of our calls takes. A process that is killed leaves its key closed for so long. */
const LEASE_MS = 120_000;
const KEEP_MS = 24 * 60 * 60 * 1_000;

/** The answer to an earlier request with this key: thrown, so that no handler runs. */
export class AnsweredBefore extends Error {
  override readonly name = 'AnsweredBefore';
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string | string[]>>,
    readonly body: Buffer,
  ) {
    super('answered before');
  }
}

interface Claim extends AnswerKey {
  readonly leaseToken: string;
  readonly url: string;
}

/** Answers of requests with an `Idempotency-Key`, kept for a day: a request that is sent again is answered again and not worked again. */
export class KeptAnswers {
  readonly #claims = new WeakMap<FastifyRequest, Claim>();

  constructor(private readonly context: Pick<ApiContext, 'pool' | 'keys' | 'log'>) {}

  /**
   * Takes the key for this request.
   * @throws AnsweredBefore when its answer is known
   * @throws Problem `idempotency_key_reused` for another request under this key; `idempotency_in_progress` while the first is worked.
   */
  async begin(request: FastifyRequest, caller: Caller, key: string): Promise<void> {
    const claim: Claim = {
      tenantId: caller.tenantId,
      environment: caller.environment,
      apiKeyId: caller.actor,
      idempotencyHash: hashKey(key),
      leaseToken: newId('req'),
      url: request.url,
    };
    const requestHash = hashRequest(request.method, request.url, request.body);
    const found = await claimAnswer(this.context.pool, { ...claim, requestHash, leaseMs: LEASE_MS, keepMs: KEEP_MS });
    switch (found.is) {
      case 'mine':
        this.#claims.set(request, claim);
        return;
      case 'other-request':
        throw new Problem(
          'idempotency_key_reused',
          'This Idempotency-Key came with another request before: another path or another body. Use a new key for a new request.',
        );
      case 'under-way':
        throw new Problem(
          'idempotency_in_progress',
          'A request with this Idempotency-Key is being worked. Send it again in a moment to get its answer.',
        );
      case 'kept': {
        let kept;
        try {
          kept = JSON.parse(this.context.keys.open(found.sealed, contextOf(claim))) as { headers: AnsweredBefore['headers']; body: string };
        } catch {
          throw new Problem(
            'conflict',
            'This request was worked before, but its answer was sealed by a key that is gone. Read what it changed; use a new Idempotency-Key for a new request.',
          );
        }
        throw new AnsweredBefore(found.status, kept.headers, Buffer.from(kept.body, 'base64'));
      }
    }
  }

  /** Whether the answer to this request is to be kept. */
  claimed(request: FastifyRequest): boolean {
    return this.#claims.has(request);
  }

  /** Keeps what is about to be sent, before it is: who never got the answer can ask for it. A failure to keep it is no failure of the request. */
  async end(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> {
    const claim = this.#claims.get(request);
    if (claim === undefined) return;
    this.#claims.delete(request);
    const { pool, keys, log } = this.context;
    try {
      const body = bytesOf(payload);
      if (body !== undefined && isWorthKeeping(reply.statusCode)) {
        const headers = passedOnHeaders(reply.getHeaders());
        const sealed = keys.seal(JSON.stringify({ headers, body: body.toString('base64') }), contextOf(claim));
        const mentions = idsIn(`${claim.url} ${body.toString()}`);
        if (await keepAnswer(pool, { ...claim, status: reply.statusCode, sealed, mentions })) return;
      }
      await dropClaim(pool, claim);
    } catch (error) {
      log.warn({ what: 'idempotency.answer_not_kept', requestId: request.id, err: error });
    }
  }
}

function contextOf({ tenantId, environment, apiKeyId, idempotencyHash }: AnswerKey): string {
  return `kept_answer:${tenantId}:${environment}:${apiKeyId}:${idempotencyHash.toString('hex')}`;
}

/** Undefined for a stream: what is not held whole is not kept. */
function bytesOf(payload: unknown): Buffer | undefined {
  if (payload === undefined || payload === null) return Buffer.alloc(0);
  if (typeof payload === 'string') return Buffer.from(payload);
  return Buffer.isBuffer(payload) ? payload : undefined;
}
