import { type Scope, parseScopeKey, scopeKey } from '@tributary/domain';

/** Ticket: this environment has notices that no window knows yet. */
export const resolveQueue = 'resolve';
export function resolveTicket(scope: Scope): string {
  return scopeKey(scope);
}
export function readResolveTicket(key: string): Scope {
  return parseScopeKey(key);
}
