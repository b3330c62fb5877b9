import { Resolver } from 'node:dns/promises';

/** All addresses of a host name, at least one. Throws when the name has none or no server answers. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

const NO_SUCH = new Set(['ENODATA', 'ENOTFOUND']);

/**
 * Asks DNS directly and not through getaddrinfo: that runs on four threads of the process, and one tenant's slow name server would
 * hold up everybody's deliveries.
 */
export function createResolver({ timeoutMs }: { timeoutMs: number }): ResolveHost {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : []));
    throw failures.find((failure) => !NO_SUCH.has(failure.code ?? '')) ?? failures[0] ?? new Error('The name has no address');
  };
}
