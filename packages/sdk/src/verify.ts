import { type VerifiedEvent } from './events.js';
import { bodyMistakes } from './explain-mismatch.js';
import { type Secrets, readKeys } from './keyring.js';
import { parseEvent } from './parse-event.js';
import { type BodyInput, bodyBytes } from './read-body.js';
import { type HeadersInput, type SignatureHeaders, readSignatureHeaders } from './read-headers.js';
import { type SignatureCrypto, type SignedContent, type VerificationKey, signedContent } from './signature.js';
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
  // Copied before anything is waited for: what is handed on is what was checked, whatever happens to the body meanwhile.
  const copy = claim.content.joined().subarray(claim.content.head.length);
  if (await provedLater(claim, claim.content, keys)) return proved(claim, copy);
  for (const { mistake, content } of suspects(claim, options)) {
    if (await provedLater(claim, content, keys)) throw mismatch(mistake);
  }
  throw mismatch(undefined);
}

/** By every key, found or not, and all of them at the same time. */
async function provedLater(claim: RequestClaim, content: SignedContent, keys: readonly VerificationKey[]): Promise<boolean> {
  const verdicts = await Promise.all(keys.map(async ({ version, proves }) => proves(content, claim.signatures[version])));
  return verdicts.includes(true);
}

/** What a request says of itself, before it is proved. */
export interface RequestClaim extends SignatureHeaders {
  readonly content: SignedContent;
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
  const { id, timestamp, signatures } = signed;
  if (!keys.some(({ version }) => signatures[version].length > 0)) throw noKeyFor(signed);
  checkTimestamp(Number(timestamp), Math.floor(now() / 1000), toleranceSeconds);
  // One by one: V8 makes a hidden class of its own for every object that is spread and added to, four kilobytes that outlive the call.
  return { id, timestamp, signatures, content: signedContent(id, timestamp, bytes) };
}

/** By every key, found or not. */
export function provedAtOnce(claim: RequestClaim, content: SignedContent, keys: readonly VerificationKey<boolean>[]): boolean {
  let found = false;
  for (const { version, proves } of keys) found = proves(content, claim.signatures[version]) || found;
  return found;
}

export function proved({ id, timestamp }: RequestClaim, body: Uint8Array): VerifiedRequest {
  return { id, sentAt: new Date(Number(timestamp) * 1000), body };
}

/** What may have been signed, if the body was changed on the way. */
export function* suspects(
  { id, timestamp, content }: RequestClaim,
  { explain = true }: VerifyOptions,
): Iterable<{ readonly mistake: BodyMistake; readonly content: SignedContent }> {
  if (!explain) return;
  for (const { mistake, body } of bodyMistakes(content.body)) yield { mistake, content: signedContent(id, timestamp, body) };
}

export function mismatch(bodyMistake: BodyMistake | undefined): VerificationError {
  if (bodyMistake) {
    const message = `The body was changed before it was verified: ${bodyMistake.replaceAll('_', ' ')}. Verify the bytes as they came.`;
    return new VerificationError('signature_mismatch', message, { bodyMistake });
  }
  return new VerificationError(
    'signature_mismatch',
    'No signature matches: another secret (environment, ended rotation), a changed body (verify the raw bytes), or a forged request.',
  );
}

/** @throws RangeError */
export function checkTolerance(seconds: number): void {
  if (!Number.isFinite(seconds) || seconds < 0) throw new RangeError('toleranceSeconds must be 0 or more.');
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
