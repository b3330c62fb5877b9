import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { Problem } from '@tributary/domain';
import { PUBLIC_ROUTE } from '@tributary/service-shell';
import { type FastifyRequest } from 'fastify';
import { decideAccess } from '../tenancy/request-access.js';
import type { Caller } from './caller.js';
import { allows, scopeOfRoute } from './key-scope.js';

/** In front of every route; only one that says so itself ({@link PUBLIC_ROUTE}) is open. */
@Injectable()
export class ApiKeyGuard extends AuthGuard('api-key') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, [context.getHandler(), context.getClass()])) {
      decideAccess({ is: 'person' });
      return true;
    }
    await super.canActivate(context);
    const { method, routeOptions, user } = context.switchToHttp().getRequest<FastifyRequest & { user: Caller }>();
    const needed = scopeOfRoute(method, routeOptions.url ?? '');
    if (!allows(user.keyScopes, needed)) {
      throw new Problem('forbidden', `This API key may not do that: it lacks the scope "${needed}". Use a key that has it, or make one.`);
    }
    return true;
  }

  override handleRequest<T>(error: Error | null, caller: T | false | null): T {
    if (error) throw error;
    if (!caller) throw new Problem('unauthenticated', 'The API key was not accepted.');
    return caller;
  }
}
