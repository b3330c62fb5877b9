/** What routes are about, as far as keys tell it apart. */
export const areas = [
  'users',
  'connections',
  'records',
  'endpoints',
  'events',
  'provider_apps',
  'dead_letters',
  'grants',
  'admin',
] as const;
export type Area = (typeof areas)[number];

/** `*` is everything; `<area>:write` also reads. */
export type KeyScope = '*' | `${Area}:${'read' | 'write'}`;

export const keyScopes: readonly KeyScope[] = ['*', ...areas.flatMap((area) => [`${area}:read`, `${area}:write`] as const)];

/** By the first word of a path below /v1; a word that stands nowhere here is about administration, and so closed to narrow keys. */
const areaOfWord: Readonly<Record<string, Area>> = {
  users: 'users',
  erasures: 'users',
  connections: 'connections',
  'connect-sessions': 'connections',
  'connect-settings': 'connections',
  backfills: 'connections',
  daily: 'records',
  sleep: 'records',
  workouts: 'records',
  measurements: 'records',
  series: 'records',
  resolved: 'records',
  records: 'records',
  changes: 'records',
  'source-priorities': 'records',
  endpoints: 'endpoints',
  recoveries: 'endpoints',
  events: 'events',
  attempts: 'events',
  'provider-apps': 'provider_apps',
  'dead-letters': 'dead_letters',
};

/** Reading that has to send a body. */
const readsByPost = new Set(['/v1/records/batch']);

/**
 * The scope that a route asks for, from its pattern, e.g. `GET /v1/users/:id/daily` asks for `records:read`. What gives all of a
 * person away (`…/export`) asks for writing, although it changes nothing; the tokens of all people have a scope of their own.
 */
export function scopeOfRoute(method: string, pattern: string): KeyScope {
  const [, , first = '', second, third] = pattern.split('/');
  const ofUser = first === 'users' && second !== undefined && third !== undefined ? areaOfWord[third] : undefined;
  // Whoever holds these tokens reads people's data past us: a key has to be made for it.
  if (pattern === '/v1/connections/export') return 'grants:read';
  const area = ofUser ?? areaOfWord[first] ?? 'admin';
  const reads = (method === 'GET' || method === 'HEAD' || readsByPost.has(pattern)) && !pattern.endsWith('/export');
  return `${area}:${reads ? 'read' : 'write'}`;
}

/** Whether a key with `held` may do what asks for `needed`. */
export function allows(held: readonly string[], needed: string): boolean {
  if (held.includes('*') || held.includes(needed)) return true;
  return needed.endsWith(':read') && held.includes(needed.replace(/:read$/, ':write'));
}
