import { isIP } from 'node:net';
import type { EnvironmentName } from '@tributary/domain';
import type { AddressPolicy } from './allowed-address.js';

export type VettedUrl =
  /** `onlyAllowListed`: every address that the host turns out to have must be in a network that the operator named. */
  { readonly is: 'ok'; readonly url: URL; readonly onlyAllowListed: boolean } | { readonly is: 'url_refused' | 'address_refused' };

/**
 * Whether an endpoint's URL may be dialled at all. A host that is an address is judged here, since no name lookup will follow; the URL
 * parser has by then turned decimal, octal, hexadecimal and short forms into the usual one.
 */
export function vetUrl(text: string, environment: EnvironmentName, policy: AddressPolicy): VettedUrl {
  if (!URL.canParse(text)) return { is: 'url_refused' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { is: 'url_refused' };
  if (url.username !== '' || url.password !== '' || url.hostname === '') return { is: 'url_refused' };
  const address = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // Live events name people: in clear they may only travel where the operator says that it is home.
  const onlyAllowListed = url.protocol === 'http:' && environment === 'live';
  if (isIP(address) === 0) return { is: 'ok', url, onlyAllowListed };
  if (!policy.allows(address)) return { is: 'address_refused' };
  if (onlyAllowListed && !policy.isAllowListed(address)) return { is: 'url_refused' };
  return { is: 'ok', url, onlyAllowListed };
}
