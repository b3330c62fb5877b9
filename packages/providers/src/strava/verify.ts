import type { AppForVerification, Verification } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { provedByAddress } from '../signature/by-address.js';
import { bytesOfHex64, hmacSha256 } from '../signature/hmac.js';
import { outOfTime, refused, secretsFor, whoseDigest } from '../signature/proof.js';

/** Each further signature would be one more comparison for each secret. */
const MOST_PARTS = 8;

/**
 * Strava documents no signature, so a delivery without one is as good as the address it came to. Its example shows
 * `X-Strava-Signature: t=<seconds>,v1=<hex>`, the HMAC-SHA256 of `t`, a point and the body. Where that header comes it must be right:
 * receivers that looked at `t` alone took forged deauthorisations for genuine.
 */
export function verifyStrava(request: RawRequest, app: AppForVerification, now: number): Verification {
  const header = request.headers.get('x-strava-signature');
  if (header === undefined) return provedByAddress;
  const secrets = secretsFor(app, 'client_secret');
  if (secrets.length === 0) return refused('no_secret');
  const { timestamps, signatures } = partsOf(header);
  if (signatures.length === 0) return refused('signature_missing');
  // A header that came twice has two timestamps and is nobody's.
  const timestamp = timestamps[0];
  if (timestamp === undefined) return refused('timestamp_missing');
  if (timestamps.length > 1 || !/^\d{1,12}$/.test(timestamp)) return refused('timestamp_malformed');

  let secretId: string | undefined;
  for (const signature of signatures) {
    const given = bytesOfHex64(signature);
    if (given !== undefined) secretId ??= whoseDigest(secrets, given, ({ value }) => hmacSha256(value, timestamp, '.', request.body));
  }
  if (secretId === undefined) return refused('signature_mismatch');

  const signedAt = Number(timestamp) * 1000;
  const late = outOfTime(signedAt, now, app);
  return late === undefined ? { ok: true, grade: 'signed', secretId, signedAt } : refused(late);
}

/** Two `v1` are a rotation; words that we do not know are Strava's to add. An empty value is none. */
function partsOf(header: string): { timestamps: string[]; signatures: string[] } {
  const timestamps: string[] = [];
  const signatures: string[] = [];
  for (const part of header.split(',', MOST_PARTS)) {
    const [, name, value] = /^(t|v1)=(.+)$/.exec(part.trim()) ?? [];
    if (value === undefined) continue;
    (name === 't' ? timestamps : signatures).push(value);
  }
  return { timestamps, signatures };
}
