import { type Scope, parseScopeKey, scopeKey } from '@tributary/domain';

/** Ticket: this environment has changes that its resolved view does not show yet. */
export const viewQueue = 'view';
export function viewTicket(scope: Scope): string {
  return scopeKey(scope);
}
export function readViewTicket(key: string): Scope {
  return parseScopeKey(key);
}
