import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { Problem } from '@tributary/domain';
import { PUBLIC_ROUTE } from '@tributary/service-shell';
import { type FastifyRequest } from 'fastify';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { decideAccess } from '../tenancy/request-access.js';
import { bearerOf, hashApiKey } from './api-key.js';
import { allows, scopeOfRoute } from './key-scope.js';
import { type KnownCaller, KnownKeys } from './known-keys.js';

type Keyed = FastifyRequest & { user: KnownCaller };

/** In front of every route; only one that says so itself ({@link PUBLIC_ROUTE}) is open. */
@Injectable()
export class ApiKeyGuard extends AuthGuard('api-key') {
  constructor(
    private readonly reflector: Reflector,
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly known: KnownKeys,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, [context.getHandler(), context.getClass()])) {
      decideAccess({ is: 'person' });
      return true;
    }
    const request = context.switchToHttp().getRequest<Keyed>();
    const known = this.#knownCaller(request.headers.authorization);
    if (known === undefined) return this.#lookUp(context, request);
    decideAccess({ is: 'caller', scope: known });
    request.user = known;
    return requireScope(request);
  }

  async #lookUp(context: ExecutionContext, request: Keyed): Promise<boolean> {
    await super.canActivate(context);
    return requireScope(request);
  }

  override handleRequest<T>(error: Error | null, caller: T | false | null): T {
    if (error) throw error;
    if (!caller) throw new Problem('unauthenticated', 'The API key was not accepted.');
    return caller;
  }

  /** Found a moment ago; everything else is the strategy's, which looks at the form, asks the database and says what is wrong. */
  #knownCaller(header: string | undefined): KnownCaller | undefined {
    const key = bearerOf(header);
    return key === undefined ? undefined : this.known.find(hashApiKey(key).toString('base64'), this.context.now());
  }
}

/** @throws Problem `forbidden` */
function requireScope({ method, routeOptions, user }: Keyed): true {
  const needed = scopeOfRoute(method, routeOptions.url ?? '');
  if (allows(user.keyScopes, needed)) return true;
  throw new Problem('forbidden', `This API key may not do that: it lacks the scope "${needed}". Use a key that has it, or make one.`);
}
