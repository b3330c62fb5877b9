/** `live` data belongs to people; `test` data belongs to nobody and may talk to the sandbox. */
export type EnvironmentName = 'live' | 'test';

/** Whose row it is. Both parts lead every key, so no statement can forget them. */
export interface Scope {
  readonly tenantId: string;
  readonly environment: EnvironmentName;
}

/** `ten_1/live`: how a scope is written in ticket keys and logs. */
export function scopeKey(scope: Scope): string {
  return `${scope.tenantId}/${scope.environment}`;
}

/** Reads {@link scopeKey} back; throws on anything else. */
export function parseScopeKey(key: string): Scope {
  const slash = key.lastIndexOf('/');
  const environment = key.slice(slash + 1);
  if (slash < 1 || (environment !== 'live' && environment !== 'test')) throw new Error(`Not a scope key: ${key}`);
  return { tenantId: key.slice(0, slash), environment };
}
