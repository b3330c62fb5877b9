import type { Origins, Provider } from './provider.js';

/**
 * Where the provider of an app answers. The sandbox plays all its origins under one address; an app of the sandbox is never taken to
 * the real provider.
 * @returns undefined when the app needs a sandbox and there is none.
 */
export function originsOf(provider: Provider, sandbox: boolean, sandboxUrl: string | undefined): Origins | undefined {
  if (!sandbox) return provider.origins;
  if (sandboxUrl === undefined) return undefined;
  const origin = `${sandboxUrl}/${provider.id}`;
  return { api: origin, authorize: origin, token: origin };
}

/** Everything that may be dialled. */
export function allowedOrigins(providers: Iterable<Provider>, sandboxUrl: string | undefined): Set<string> {
  const urls = [...providers].flatMap(({ origins }) => [origins.api, origins.token]);
  return new Set([...urls, ...(sandboxUrl === undefined ? [] : [sandboxUrl])].map((url) => new URL(url).origin));
}
