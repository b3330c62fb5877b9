import type { AppForVerification, Verification } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { bytesOfHex64, hmacSha256 } from '../signature/hmac.js';
import { outOfTime, refused, secretsFor, whoseDigest } from '../signature/proof.js';

/** Below: seconds (until the year 5138). From here on: milliseconds (since March 1973). Oura documents no unit; its sample has seconds. */
const FIRST_MS = 100_000_000_000;

/**
 * `x-oura-signature` is the hex HMAC-SHA256 of `x-oura-timestamp` followed by the body, keyed with the client secret. Oura sends
 * upper case; either is taken. The documented sample signs re-serialised JSON, the service signs the bytes it sends.
 */
export function verifyOura(request: RawRequest, app: AppForVerification, now: number): Verification {
  const secrets = secretsFor(app, 'client_secret');
  if (secrets.length === 0) return refused('no_secret');
  const signature = request.headers.get('x-oura-signature');
  if (!signature) return refused('signature_missing');
  const timestamp = request.headers.get('x-oura-timestamp');
  if (!timestamp) return refused('timestamp_missing');
  if (!/^\d{1,15}$/.test(timestamp)) return refused('timestamp_malformed');

  const given = bytesOfHex64(signature);
  if (given === undefined) return refused('signature_mismatch');
  const secretId = whoseDigest(secrets, given, ({ value }) => hmacSha256(value, timestamp, request.body));
  if (secretId === undefined) return refused('signature_mismatch');

  const signedAt = Number(timestamp) < FIRST_MS ? Number(timestamp) * 1000 : Number(timestamp);
  const late = outOfTime(signedAt, now, app);
  return late === undefined ? { ok: true, grade: 'signed', secretId, signedAt } : refused(late);
}
