import { Problem } from '@tributary/domain';
import { type Origins, type Provider, originsOf } from '@tributary/providers';

/** Where the provider of an app answers, for calls that cannot go on without it. Throws {@link Problem}. */
export function requiredOrigins(provider: Provider, sandbox: boolean, sandboxUrl: string | undefined): Origins {
  const origins = originsOf(provider, sandbox, sandboxUrl);
  if (origins === undefined)
    throw new Problem('provider_unavailable', 'This installation has no sandbox (TRIBUTARY_SANDBOX_URL is not set).');
  return origins;
}
