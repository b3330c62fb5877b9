import type { InboundProvider, SecretPurpose } from './provider.js';
import { faultOfSecret as faultOfStandardSecret } from './standard-webhooks/secret.js';

/**
 * Why a secret that an operator gives could prove nothing, in words for them; undefined when it could. What looks like a `whsec_` secret
 * must be one, whichever provider it is for.
 */
export function faultOfSecret(
  provider: Pick<InboundProvider, 'faultOfSecret'> | undefined,
  purpose: SecretPurpose,
  value: string,
): string | undefined {
  return provider?.faultOfSecret?.(purpose, value) ?? (value.includes('whsec_') ? faultOfStandardSecret(value) : undefined);
}
