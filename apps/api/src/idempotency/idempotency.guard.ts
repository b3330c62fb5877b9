import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Problem } from '@tributary/domain';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../auth/caller.js';
import { isIdempotencyKey } from './idempotency-rules.js';
import { KeptAnswers } from './kept-answers.js';

/**
 * In front of every POST of a caller that sends `Idempotency-Key`. The other methods are idempotent by themselves. Last of the guards, and no
 * interceptor: one of those would stand around every handler, also where there is nothing to look at.
 */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(private readonly answers: KeptAnswers) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: Omit<Caller, 'requestId'> }>();
    const key = request.headers['idempotency-key'];
    if (request.method !== 'POST' || key === undefined || request.user === undefined) return true;
    if (typeof key !== 'string' || !isIdempotencyKey(key)) {
      throw new Problem('malformed_request', 'The Idempotency-Key is not usable: send 1 to 255 visible ASCII characters, e.g. a UUID.');
    }
    return this.answers.begin(request, { ...request.user, requestId: request.id }, key).then(() => true);
  }
}
