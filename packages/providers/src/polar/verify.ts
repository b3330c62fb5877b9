import type { AppForVerification, Verification } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { bytesOfHex64, hmacSha256 } from '../signature/hmac.js';
import { refused, secretsFor, whoseDigest } from '../signature/proof.js';

/**
 * `polar-webhook-signature` is the hex HMAC-SHA256 of the body, keyed with the `signature_secret_key` that Polar showed once, when the
 * webhook was created. The letter case is not documented; either is taken. No time is signed.
 */
export function verifyPolar(request: RawRequest, app: AppForVerification): Verification {
  const secrets = secretsFor(app, 'webhook_secret');
  if (secrets.length === 0) return refused('no_secret');
  const signature = request.headers.get('polar-webhook-signature');
  if (!signature) return refused('signature_missing');
  const given = bytesOfHex64(signature);
  if (given === undefined) return refused('signature_mismatch');
  const secretId = whoseDigest(secrets, given, ({ value }) => hmacSha256(value, request.body));
  return secretId === undefined ? refused('signature_mismatch') : { ok: true, grade: 'signed', secretId, signedAt: undefined };
}
