import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { Scope } from '@tributary/domain';

/** Who calls, as the key says: every statement of the call is bound to this scope. */
export interface Caller extends Scope {
  /** For the audit log: the key's id. */
  readonly actor: string;
  /** What the key may do. */
  readonly keyScopes: readonly string[];
  readonly requestId: string;
}

/** The caller of a route that is not public. */
export const TheCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { user, id } = context.switchToHttp().getRequest<{ user: Omit<Caller, 'requestId'>; id: string }>();
  return { ...user, requestId: id };
});
