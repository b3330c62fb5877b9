import { type Scope, parseScopeKey, scopeKey } from '@tributary/domain';

/** Ticket: this environment has notices that no window knows yet. */
export const resolveQueue = 'resolve';
export function resolveTicket(scope: Scope): string {
  return scopeKey(scope);
}
export function readResolveTicket(key: string): Scope {
  return parseScopeKey(key);
}

/** Ticket: a provider still sends this app something of a person that we do not hold, so a subscription was left over. Names no person. */
export const leftoverQueue = 'leftover';
export interface AppRef extends Scope {
  readonly providerAppId: string;
}
export function leftoverTicket(app: AppRef): string {
  return `${scopeKey(app)}#${app.providerAppId}`;
}
export function readLeftoverTicket(key: string): AppRef {
  const hash = key.indexOf('#');
  if (hash < 0 || hash === key.length - 1) throw new Error(`Not a leftover ticket: ${key}`);
  return { ...parseScopeKey(key.slice(0, hash)), providerAppId: key.slice(hash + 1) };
}
