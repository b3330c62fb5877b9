import { type VerifiedEvent } from './events.js';
import { type Suspect, bodyMistakes } from './explain-mismatch.js';
import { type Secrets, readKeys } from './keyring.js';
import { parseEvent } from './parse-event.js';
import { type BodyInput, bodyBytes } from './read-body.js';
import { type HeadersInput, type SignatureHeaders, readSignatureHeaders } from './read-headers.js';
import { type SignatureCrypto, type Verdict, type VerificationKey, signedContent } from './signature.js';
import { webCrypto } from './signature.web.js';
import { type BodyMistake, VerificationError } from './verification-error.js';
import { type VerifiedRequest } from './verified-request.js';

export interface VerifyOptions {
  /** How far the time of the attempt may lie from now, either way. Default 300; the boundary is inside, and 0 means this second. */
  readonly toleranceSeconds?: number;
  /** The clock, in milliseconds since the epoch. Default `Date.now`. For a request that waited: when it was received. */
  readonly now?: () => number;
  /** Look for what was done to the body when the signature does not match. Default true; costs up to ten more hashes. */
  readonly explain?: boolean;
  /** A larger body is refused before it is hashed. Default 1 MiB; events stay far below. */
  readonly maxBodyBytes?: number;
  /** Where the hashing is done. Default: WebCrypto, which every runtime has. */
  readonly crypto?: SignatureCrypto;
}

/** {@link tryVerify}'s answer. */
export type Verification = { readonly ok: true; readonly event: VerifiedEvent } | { readonly ok: false; readonly error: VerificationError };

/**
 * Proves that an event came from Tributary, unchanged and just now, and reads it. Verify once, where the request arrives: after
 * a wait in a queue the timestamp is rightly too old.
 * @param body the raw bytes; a parsed object is refused
 * @param secrets of the endpoint: one, or all that are live during a rotation; any that proves the request is enough
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

/** As {@link verify}, and a refusal is an answer: nothing is thrown but faults of the caller, such as a tolerance that is no number. */
export async function tryVerify(
  body: BodyInput,
  headers: HeadersInput,
  secrets: Secrets,
  options: VerifyOptions = {},
): Promise<Verification> {
  try {
    return { ok: true, event: await verify(body, headers, secrets, options) };
  } catch (error) {
    if (error instanceof VerificationError) return { ok: false, error };
    throw error;
  }
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
  return verifyWithKeys(body, headers, readKeys(secrets, options.crypto ?? webCrypto), options);
}

/** @throws VerificationError */
export async function verifyWithKeys(
  body: BodyInput,
  headers: HeadersInput,
  keys: readonly VerificationKey[],
  options: VerifyOptions,
): Promise<VerifiedRequest> {
  const claim = readClaim(body, headers, keys, options);
  if (anyOf(await Promise.all(verdicts(claim, claim.body, keys)))) return proved(claim);
  for (const suspect of suspects(claim, options)) {
    if (anyOf(await Promise.all(verdicts(claim, suspect.body, keys)))) throw mismatch(suspect.mistake);
  }
  throw mismatch(undefined);
}

/** What a request says of itself, before it is proved. */
export interface RequestClaim extends SignatureHeaders {
  readonly body: Uint8Array;
  readonly content: Uint8Array<ArrayBuffer>;
}

/**
 * Everything that can be refused without a hash.
 * @throws VerificationError
 */
export function readClaim(
  body: BodyInput,
  headers: HeadersInput,
  keys: readonly VerificationKey[],
  { toleranceSeconds = 300, now = Date.now, maxBodyBytes = 1_048_576 }: VerifyOptions,
): RequestClaim {
  const bytes = bodyBytes(body, maxBodyBytes);
  const signed = readSignatureHeaders(headers);
  if (!keys.some(({ version }) => signed.signatures[version].length > 0)) throw noKeyFor(signed);
  checkTimestamp(Number(signed.timestamp), Math.floor(now() / 1000), toleranceSeconds);
  const content = signedContent(signed.id, signed.timestamp, bytes);
  return { ...signed, content, body: content.subarray(content.length - bytes.length) };
}

/** Of every key, found or not. */
export function verdicts<V extends Verdict>(claim: RequestClaim, body: Uint8Array, keys: readonly VerificationKey<V>[]): V[] {
  const content = body === claim.body ? claim.content : signedContent(claim.id, claim.timestamp, body);
  return keys.map(({ version, proves }) => proves(content, claim.signatures[version]));
}

export function anyOf(verdicts: readonly boolean[]): boolean {
  return verdicts.includes(true);
}

export function proved({ id, timestamp, body }: RequestClaim): VerifiedRequest {
  return { id, sentAt: new Date(Number(timestamp) * 1000), body };
}

export function suspects({ body }: RequestClaim, { explain = true }: VerifyOptions): Iterable<Suspect> {
  return explain ? bodyMistakes(body) : [];
}

export function mismatch(bodyMistake: BodyMistake | undefined): VerificationError {
  if (bodyMistake) {
    const message = `The body was changed before it was verified: ${bodyMistake.replaceAll('_', ' ')}. Verify the bytes as they came.`;
    return new VerificationError('signature_mismatch', message, { bodyMistake });
  }
  return new VerificationError(
    'signature_mismatch',
    'No signature matches: another secret (of another environment, of an ended rotation), a body that was changed on the way ' +
      '(verify the raw bytes), or a forged request.',
  );
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
      'A late copy, a request that waited in a queue, or a wrong clock.',
    { skewSeconds, sentAt: new Date(signedAt * 1000), checkedAt: new Date(now * 1000) },
  );
}

function noKeyFor({ signatures }: SignatureHeaders): VerificationError {
  const [has, needs] = signatures.v1.length > 0 ? ['v1', 'shared secret, `whsec_`'] : ['v1a', 'public key of the endpoint, `whpk_`'];
  return new VerificationError('unsupported_version', `webhook-signature has \`${has}\` entries only: they need the ${needs}.`, {
    header: 'webhook-signature',
  });
}
