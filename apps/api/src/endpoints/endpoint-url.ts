import type { EnvironmentName } from '@tributary/domain';

/**
 * Why an address cannot be an endpoint; undefined when it can. Whether the host may be dialled is decided at each attempt, when its
 * addresses are known: a name that is harmless today can point elsewhere tomorrow.
 */
export function endpointUrlFault(text: string, environment: EnvironmentName): string | undefined {
  if (!URL.canParse(text)) return 'is not a web address';
  const url = new URL(text);
  if (url.protocol === 'http:' && environment === 'live') return 'must begin with https:// in the live environment';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user or password; we sign what we send instead';
  if (url.hash !== '') return 'must not hold a fragment (#…): it is never sent';
  if (url.hostname === '' || url.hostname.length > 253 || /^\.|\.\.|^-/.test(url.hostname)) return 'has no valid host';
  return undefined;
}
