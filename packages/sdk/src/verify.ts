import { type VerifiedEvent } from './events.js';
import { explainMismatch, mistakeInWords } from './explain-mismatch.js';
import { type Secrets, importSecrets } from './keyring.js';
import { parseEvent } from './parse-event.js';
import { type BodyInput, bodyBytes } from './read-body.js';
import { type HeadersInput, type SignatureHeaders, readSignatureHeaders } from './read-headers.js';
import { type SigningKey, sameText, signContent, signedContent } from './signature.js';
import { type BodyMistake, VerificationError } from './verification-error.js';
import { type VerifiedRequest } from './verified-request.js';

export interface VerifyOptions {
  /** How far the time of the attempt may lie from now, either way. Default 300; the boundary is inside. */
  readonly toleranceSeconds?: number;
  /** The clock, in milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** Look for what was done to the body when the signature does not match. Default true; costs up to ten more hashes. */
  readonly explain?: boolean;
}

/**
 * Proves that an event came from Tributary, unchanged and just now, and reads it. Verify once, where the request arrives: after
 * a wait in a queue the timestamp is rightly too old.
 * @param body the raw bytes; a parsed object is refused
 * @param secrets of the endpoint: one, or all that are live during a rotation
 * @throws VerificationError
 */
export async function verify(
  body: BodyInput,
  headers: HeadersInput,
  secrets: Secrets,
  options: VerifyOptions = {},
): Promise<VerifiedEvent> {
  return parseEvent(await verifySignature(body, headers, secrets, options));
}

/**
 * As {@link verify}, without reading the body: for a body that is kept as bytes, or that is no event of ours.
 * @throws VerificationError
 */
export async function verifySignature(
  body: BodyInput,
  headers: HeadersInput,
  secrets: Secrets,
  options: VerifyOptions = {},
): Promise<VerifiedRequest> {
  const bytes = bodyBytes(body);
  return verifyWithKeys(bytes, headers, await importSecrets(secrets), options);
}

/** @throws VerificationError */
export async function verifyWithKeys(
  body: Uint8Array,
  headers: HeadersInput,
  keys: readonly SigningKey[],
  options: VerifyOptions,
): Promise<VerifiedRequest> {
  const { toleranceSeconds = 300, now = Date.now, explain = true } = options;
  const signed = readSignatureHeaders(headers);
  checkTimestamp(Number(signed.timestamp), Math.floor(now() / 1000), toleranceSeconds);
  const content = signedContent(signed.id, signed.timestamp, body);
  const proved = content.subarray(content.length - body.length);
  if (!(await isSigned(content, signed.signatures, keys))) throw await mismatch(proved, signed, keys, explain);
  return { id: signed.id, sentAt: new Date(Number(signed.timestamp) * 1000), body: proved };
}

/** @throws RangeError */
export function checkTolerance(seconds: number): void {
  if (!Number.isFinite(seconds) || seconds < 0) throw new RangeError('toleranceSeconds must be a number of seconds, 0 or more.');
}

function checkTimestamp(signedAt: number, now: number, toleranceSeconds: number): void {
  checkTolerance(toleranceSeconds);
  const skewSeconds = now - signedAt;
  if (Math.abs(skewSeconds) <= toleranceSeconds) return;
  const [code, where] = skewSeconds > 0 ? (['timestamp_too_old', 'behind'] as const) : (['timestamp_too_new', 'ahead of'] as const);
  throw new VerificationError(
    code,
    `The timestamp is ${Math.abs(skewSeconds)} s ${where} our clock; ${toleranceSeconds} s are allowed. ` +
      'A late copy of a request, a request verified after waiting in a queue, or a clock that is wrong.',
    { skewSeconds },
  );
}

/** One hash for each secret, however many signatures the header lists; every pair is compared, found or not. */
async function isSigned(content: Uint8Array<ArrayBuffer>, signatures: readonly string[], keys: readonly SigningKey[]): Promise<boolean> {
  let found = false;
  for (const key of keys) {
    const expected = await signContent(key, content);
    for (const signature of signatures) found = sameText(signature, expected) || found;
  }
  return found;
}

async function mismatch(
  body: Uint8Array,
  { id, timestamp, signatures }: SignatureHeaders,
  keys: readonly SigningKey[],
  explain: boolean,
): Promise<VerificationError> {
  const matches = (repaired: Uint8Array) => isSigned(signedContent(id, timestamp, repaired), signatures, keys);
  const bodyMistake: BodyMistake | undefined = explain ? await explainMismatch(body, matches) : undefined;
  if (bodyMistake) {
    const message = `The body was changed before it was verified: ${mistakeInWords[bodyMistake]}. Verify the bytes as they came.`;
    return new VerificationError('signature_mismatch', message, { bodyMistake });
  }
  const message =
    'No signature matches. Either the secret is not the one of this endpoint (look for another environment, an ended rotation), ' +
    'or the body was changed on the way (verify the raw bytes), or the request is forged.';
  return new VerificationError('signature_mismatch', message);
}
