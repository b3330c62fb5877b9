import { type VerifiedEvent } from './events.js';
import { type Secrets, readKeys } from './keyring.js';
import { parseEvent } from './parse-event.js';
import { type BodyInput } from './read-body.js';
import { type HeadersInput } from './read-headers.js';
import { type Receiver, type ReceiverOptions, createReceiver as createReceiverAnywhere } from './receiver.js';
import { nodeCrypto } from './signature.node.js';
import { type VerifyOptions, checkTolerance, mismatch, proved, provedAtOnce, readClaim, suspects } from './verify.js';

export { type NodeHandlerOptions, type NodeRequest, type NodeResponse, nodeHandler } from './handlers/node.js';
export { nodeCrypto };

/** Proves requests under secrets that were read once. */
export type Verifier = (body: BodyInput, headers: HeadersInput) => VerifiedEvent;

export type NodeVerifyOptions = Omit<VerifyOptions, 'crypto'>;

/**
 * As `verify`, by `node:crypto`, and answers at once.
 * @throws VerificationError
 */
export function verifySync(body: BodyInput, headers: HeadersInput, secrets: Secrets, options: NodeVerifyOptions = {}): VerifiedEvent {
  return createVerifier(secrets, options)(body, headers);
}

/**
 * {@link verifySync} for many requests: the secrets are read here, once.
 * @throws VerificationError `no_secret`, `malformed_secret`; the verifier throws the others
 */
export function createVerifier(secrets: Secrets, options: NodeVerifyOptions = {}): Verifier {
  checkTolerance(options.toleranceSeconds ?? 300);
  const keys = readKeys(secrets, nodeCrypto);
  return (body, headers) => {
    const claim = readClaim(body, headers, keys, options);
    // Nothing is waited for between the proof and the reading, so the body needs no copy.
    if (provedAtOnce(claim, claim.content, keys)) return parseEvent(proved(claim, claim.content.body));
    for (const { mistake, content } of suspects(claim, options)) if (provedAtOnce(claim, content, keys)) throw mismatch(mistake);
    throw mismatch(undefined);
  };
}

/** As `createReceiver` of `@tributary/sdk`, with the hashing by `node:crypto`. */
export function createReceiver<Transaction = undefined>(options: ReceiverOptions<Transaction>): Receiver {
  return createReceiverAnywhere({ crypto: nodeCrypto, ...options });
}
