import { oura } from './oura/provider.js';
import type { Provider } from './provider.js';

/** Every provider we speak to, one by one; its id is the word in our URLs. */
export const providers: readonly Provider[] = [oura];

const byId: ReadonlyMap<string, Provider> = new Map(providers.map((provider) => [provider.id, provider]));

export function findProvider(id: string): Provider | undefined {
  return byId.get(id);
}
