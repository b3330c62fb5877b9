import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { Problem } from '@tributary/domain';
import { PUBLIC_ROUTE } from '@tributary/service-shell';

/** In front of every route; only one that says so itself ({@link PUBLIC_ROUTE}) is open. */
@Injectable()
export class ApiKeyGuard extends AuthGuard('api-key') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override canActivate(context: ExecutionContext) {
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, [context.getHandler(), context.getClass()])) return true;
    return super.canActivate(context);
  }

  override handleRequest<T>(error: Error | null, caller: T | false | null): T {
    if (error) throw error;
    if (!caller) throw new Problem('unauthenticated', 'The API key was not accepted.');
    return caller;
  }
}
