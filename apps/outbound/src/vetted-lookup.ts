import type { LookupFunction } from 'node:net';
import type { ResolveHost } from './resolve-host.js';

/** A lookup that ends in an address where we do not send, or in none; `code` is what `noAnswerOf` reads. */
class LookupRefused extends Error {
  override readonly name = 'LookupRefused';
  constructor(
    readonly code: 'ADDRESS_REFUSED' | 'DNS_FAILED',
    options?: ErrorOptions,
  ) {
    super(code === 'DNS_FAILED' ? 'The host name could not be resolved' : 'The host name points where we do not send', options);
  }
}

/**
 * The `lookup` of a socket: resolves, vets every address and hands over only what it has vetted, so that the address judged is the
 * address dialled, and a name that changes its mind in between gains nothing. One bad address among good ones refuses the name.
 */
export function vettedLookup(resolve: ResolveHost, allows: (address: string) => boolean): LookupFunction {
  const vetted = async (hostname: string): Promise<string[]> => {
    // RFC 6761: this name means the machine itself and is not asked for.
    if (/^(.+\.)?localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'].filter(allows);
    const addresses = await resolve(hostname).catch((cause: unknown) => {
      throw new LookupRefused('DNS_FAILED', { cause });
    });
    return addresses.every(allows) ? addresses : [];
  };
  return (hostname, options, callback) => {
    vetted(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        const [first] = found;
        if (!first) callback(new LookupRefused('ADDRESS_REFUSED'), '', 0);
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, '', 0),
    );
  };
}
