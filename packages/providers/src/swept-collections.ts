import { grantCollection } from '@tributary/domain';
import { isPermitted } from './is-permitted.js';
import type { Provider } from './provider.js';

/**
 * What is read of a person without being told to: on connecting and with every sweep. Among it the grant itself where webhooks are asked
 * for person by person, since that is when they are asked for again.
 * @param scopes those granted; undefined: all.
 */
export function sweptCollections(provider: Pick<Provider, 'collections' | 'subscriptions'>, scopes?: readonly string[]): string[] {
  const byDays = Object.entries(provider.collections)
    .filter(([name, facts]) => facts.byDays && facts.asked !== true && (scopes === undefined || isPermitted(provider, name, scopes)))
    .map(([name]) => name);
  return provider.subscriptions.ensureForPerson === undefined ? byDays : [...byDays, grantCollection];
}
