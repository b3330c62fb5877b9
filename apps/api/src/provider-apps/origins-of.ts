import { Problem } from '@tributary/domain';
import type { Origins, Provider } from '@tributary/providers';

/** Where the provider of an app answers: the sandbox plays every origin of it under one address. */
export function originsOf(provider: Provider, sandbox: boolean, sandboxUrl: string | undefined): Origins {
  if (!sandbox) return provider.origins;
  if (sandboxUrl === undefined)
    throw new Problem('provider_unavailable', 'This installation has no sandbox (TRIBUTARY_SANDBOX_URL is not set).');
  const origin = `${sandboxUrl}/${provider.id}`;
  return { api: origin, authorize: origin, token: origin };
}

/** Everything that may be dialled for a set of providers. */
export function allowedOrigins(providers: Iterable<Provider>, sandboxUrl: string | undefined): Set<string> {
  const urls = [...providers].flatMap(({ origins }) => [origins.api, origins.authorize, origins.token]);
  return new Set([...urls, ...(sandboxUrl === undefined ? [] : [sandboxUrl])].map((url) => new URL(url).origin));
}
