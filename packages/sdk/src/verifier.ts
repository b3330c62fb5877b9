// The least that proves a request: for an edge function that passes events on to a queue, say.
export { type BodyInput } from './read-body.js';
export { type HeadersInput } from './read-headers.js';
export { type Secrets } from './keyring.js';
export { type Prover, type SignatureCrypto, type Verdict } from './signature.js';
export { type BodyMistake, type VerificationDetail, VerificationError, type VerificationErrorCode } from './verification-error.js';
export { type VerifiedEvent } from './events.js';
export { type VerifiedRequest } from './verified-request.js';
export { type Verification, type VerifyOptions, tryVerify, verify, verifySignature } from './verify.js';
