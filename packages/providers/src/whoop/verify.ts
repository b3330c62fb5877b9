import type { AppForVerification, Verification } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { bytesOfBase64, hmacSha256 } from '../signature/hmac.js';
import { outOfTime, refused, secretsFor, whoseDigest } from '../signature/proof.js';

/**
 * `x-whoop-signature` is the base64 HMAC-SHA256 of `x-whoop-signature-timestamp` (milliseconds) followed by the body, nothing between
 * them, keyed with the client secret. The partner webhooks of labs (`WHOOP-Signed`, hex, body only) are another interface.
 */
export function verifyWhoop(request: RawRequest, app: AppForVerification, now: number): Verification {
  const secrets = secretsFor(app, 'client_secret');
  if (secrets.length === 0) return refused('no_secret');
  const signature = request.headers.get('x-whoop-signature');
  if (!signature) return refused('signature_missing');
  const timestamp = request.headers.get('x-whoop-signature-timestamp');
  if (!timestamp) return refused('timestamp_missing');
  if (!/^\d{1,15}$/.test(timestamp)) return refused('timestamp_malformed');

  const given = bytesOfBase64(signature);
  if (given === undefined) return refused('signature_mismatch');
  const secretId = whoseDigest(secrets, given, ({ value }) => hmacSha256(value, timestamp, request.body));
  if (secretId === undefined) return refused('signature_mismatch');

  const signedAt = Number(timestamp);
  const late = outOfTime(signedAt, now, app);
  return late === undefined ? { ok: true, grade: 'signed', secretId, signedAt } : refused(late);
}
