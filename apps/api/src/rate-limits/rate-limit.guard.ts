import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Problem } from '@tributary/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import type { Allowance } from './rate-limits.js';

/** After the key is known: every answer says what is left, and who asks too often is told when to come back. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(@Inject(API_CONTEXT) private readonly context: ApiContext) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { user } = http.getRequest<FastifyRequest & { user?: Caller }>();
    if (user === undefined) return true;
    const reply = http.getResponse<FastifyReply>();
    const taken = this.context.limits.take(user.actor, this.context.now());
    return taken instanceof Promise ? taken.then((allowance) => tell(reply, allowance)) : tell(reply, taken);
  }
}

/** @throws Problem `too_many_requests` */
function tell(reply: FastifyReply, { allowed, limit, remaining, resetS }: Allowance): true {
  void reply.headers({ 'ratelimit-limit': String(limit), 'ratelimit-remaining': String(remaining), 'ratelimit-reset': String(resetS) });
  if (allowed) return true;
  void reply.header('retry-after', String(resetS));
  throw new Problem(
    'too_many_requests',
    `This API key may send ${limit} requests a minute, and has. Send again in ${resetS} ${resetS === 1 ? 'second' : 'seconds'}.`,
  );
}
