import type { AppForVerification, Verification } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { sameBytes } from '../signature/constant-time.js';
import { bytesOfHex64, hmacSha256 } from '../signature/hmac.js';

/** Below: seconds (until the year 5138). From here on: milliseconds (since March 1973). Oura documents no unit; its sample has seconds. */
const FIRST_MS = 100_000_000_000;

/**
 * `x-oura-signature` is the hex HMAC-SHA256 of `x-oura-timestamp` followed by the body, keyed with the client secret. Oura sends
 * upper case; either is taken. The documented sample signs re-serialised JSON, the service signs the bytes it sends.
 */
export function verifyOura(request: RawRequest, app: AppForVerification, now: number): Verification {
  const secrets = app.secrets.filter((secret) => secret.purpose === 'client_secret' && secret.value !== '');
  if (secrets.length === 0) return refused('no_secret');
  const signature = request.headers.get('x-oura-signature');
  if (!signature) return refused('signature_missing');
  const timestamp = request.headers.get('x-oura-timestamp');
  if (!timestamp) return refused('timestamp_missing');
  if (!/^\d{1,15}$/.test(timestamp)) return refused('timestamp_malformed');

  const given = bytesOfHex64(signature);
  if (given === undefined) return refused('signature_mismatch');
  let proved: string | undefined;
  for (const secret of secrets) {
    // Every secret is tried, so the time does not tell which one fits.
    if (sameBytes(hmacSha256(secret.value, timestamp, request.body), given)) proved ??= secret.id;
  }
  if (proved === undefined) return refused('signature_mismatch');

  const signedAt = Number(timestamp) < FIRST_MS ? Number(timestamp) * 1000 : Number(timestamp);
  if (now - signedAt > app.toleranceMs) return refused('timestamp_stale');
  if (signedAt - now > app.toleranceMs) return refused('timestamp_future');
  return { ok: true, grade: 'signed', secretId: proved, signedAt };
}

function refused(code: Extract<Verification, { ok: false }>['code']): Verification {
  return { ok: false, code };
}
