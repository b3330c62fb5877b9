import type { AppForVerification, Verification } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { bytesOfBase64, hmacSha256 } from '../signature/hmac.js';
import { outOfTime, refused, secretsFor, whoseDigest } from '../signature/proof.js';
import { messageHeaders } from './headers.js';
import { keyOfSecret } from './secret.js';

/** What an id may be: visible ASCII, short enough for an index. */
const MESSAGE_ID = /^[\x21-\x7e]{1,256}$/;
/** HMAC-SHA256 with a symmetric key. The others of the specification (`v1a`, Ed25519) prove nothing here. */
const SCHEME = 'v1,';

/**
 * Standard Webhooks 1.0: `webhook-signature` holds one or more `v1,<base64>` with spaces between, HMAC-SHA256 of
 * `webhook-id.webhook-timestamp.body`, keyed with the bytes that a `whsec_` secret encodes. During a rotation the sender signs with both keys.
 */
export function verifyStandardWebhooks(request: RawRequest, app: AppForVerification, now: number): Verification {
  const secrets = secretsFor(app, 'webhook_secret').filter(({ value }) => keyOfSecret(value) !== undefined);
  if (secrets.length === 0) return refused('no_secret');
  const { id, timestamp, signature } = messageHeaders(request);
  if (signature === undefined || id === undefined) return refused('signature_missing');
  if (timestamp === undefined) return refused('timestamp_missing');
  if (!/^\d{1,12}$/.test(timestamp)) return refused('timestamp_malformed');
  if (!MESSAGE_ID.test(id)) return refused('signature_mismatch');

  const digests = new Map(
    secrets.map((secret) => [secret, hmacSha256(keyOfSecret(secret.value) as Buffer, `${id}.${timestamp}.`, request.body)] as const),
  );
  let secretId: string | undefined;
  for (const given of digestsIn(signature)) secretId ??= whoseDigest(secrets, given, (secret) => digests.get(secret) as Buffer);
  if (secretId === undefined) return refused('signature_mismatch');

  const signedAt = Number(timestamp) * 1000;
  const late = outOfTime(signedAt, now, app);
  return late === undefined ? { ok: true, grade: 'signed', secretId, signedAt } : refused(late);
}

/** A comma before a space or the end is the seam of two headers that were joined, and no list of this scheme. */
function digestsIn(signatures: string): Buffer[] {
  if (/,(?: |$)/.test(signatures)) return [];
  return signatures.split(' ').flatMap((text) => (text.startsWith(SCHEME) ? (bytesOfBase64(text.slice(SCHEME.length)) ?? []) : []));
}
