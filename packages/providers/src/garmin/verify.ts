import type { AppForVerification, Verification } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { provedByAddress } from '../signature/by-address.js';
import { sameText } from '../signature/constant-time.js';
import { refused } from '../signature/proof.js';

/**
 * Garmin signs nothing: the address that only it and we know is the proof. It names the app that it means in `garmin-client-id`; where
 * that comes, it must be this one. Receivers that looked only at whether the header was there took anybody's.
 */
export function verifyGarmin(request: RawRequest, { clientId }: AppForVerification): Verification {
  const named = request.headers.get('garmin-client-id');
  if (named === undefined) return provedByAddress;
  return clientId !== '' && sameText(named, clientId) ? provedByAddress : refused('signature_mismatch');
}
