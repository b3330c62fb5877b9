import { grantCollection } from '@tributary/domain';
import type { CollectionFacts, Provider } from './provider.js';

/**
 * Whether a collection may be read with these scopes. Scopes of which we know none are in another language than ours (a provider that
 * names what its token may do, and not what the person ticked), and forbid nothing.
 */
export function isPermitted({ collections }: Pick<Provider, 'collections'>, collection: string, scopes: readonly string[]): boolean {
  const facts = collections[collection];
  if (collection === grantCollection || facts === undefined || covers(scopes, facts)) return true;
  return scopes.length > 0 && !Object.values(collections).some((other) => covers(scopes, other));
}

/** `activity:read_all` is more than `activity:read`. */
function covers(scopes: readonly string[], { scope }: CollectionFacts): boolean {
  return scopes.includes(scope) || scopes.includes(`${scope}_all`);
}
