import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Problem } from '@tributary/domain';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import type { Caller } from '../auth/caller.js';
import { isIdempotencyKey } from './idempotency-rules.js';
import { KeptAnswers } from './kept-answers.js';

/** In front of every POST of a caller that sends `Idempotency-Key`. The other methods are idempotent by themselves. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly answers: KeptAnswers) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: Omit<Caller, 'requestId'> }>();
    const key = request.headers['idempotency-key'];
    if (request.method !== 'POST' || key === undefined || request.user === undefined) return next.handle();
    if (typeof key !== 'string' || !isIdempotencyKey(key)) {
      throw new Problem('malformed_request', 'The Idempotency-Key is not usable: send 1 to 255 visible ASCII characters, e.g. a UUID.');
    }
    await this.answers.begin(request, { ...request.user, requestId: request.id }, key);
    return next.handle();
  }
}
