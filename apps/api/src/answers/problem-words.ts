import type { ProblemCode } from '@tributary/domain';

/** What each code means, and what to do about it: the source of /problems and docs/problems.md. */
export const problemWords: Readonly<Record<ProblemCode, { readonly means: string; readonly then: string }>> = {
  malformed_request: {
    means: 'The request cannot be read: JSON that is none, a header or cursor of the wrong form.',
    then: 'Correct what `detail` names. Sent again as it is, it fails again.',
  },
  validation_failed: {
    means: 'The request can be read, and fields of it are not usable.',
    then: 'Correct each field that `faults` names by its path.',
  },
  unauthenticated: {
    means: 'No API key came, or one that is unknown, expired or revoked.',
    then: 'Send a valid key as `Authorization: Bearer trb_…`.',
  },
  forbidden: {
    means: 'The key is good and may not do this: it lacks the scope that `detail` names.',
    then: 'Use a key with that scope, or make one at `POST /v1/api-keys`.',
  },
  not_found: {
    means: 'There is no such route, or nothing of that id in the environment of the key.',
    then: 'Check the id, and that the key is of the same environment, `live` or `test`.',
  },
  method_not_allowed: {
    means: 'The route is there, for other methods.',
    then: 'Use one of those in the header `Allow`.',
  },
  conflict: {
    means: 'The request does not fit the present state of what it is about.',
    then: 'Read the state, then do what `detail` says.',
  },
  gone: {
    means: 'It was here and is not any more, e.g. the person was erased.',
    then: 'Do not ask for it again.',
  },
  body_too_large: {
    means: 'The body is larger than 1 MiB.',
    then: 'Send less at once, in several requests.',
  },
  unsupported_media_type: {
    means: 'The body is not JSON, or does not say so.',
    then: 'Send JSON with `Content-Type: application/json`.',
  },
  too_many_requests: {
    means: 'The key has sent as many requests as it may for now.',
    then: 'Wait for as many seconds as `Retry-After` says. `RateLimit-Remaining` tells beforehand.',
  },
  idempotency_key_reused: {
    means: 'The `Idempotency-Key` came with another path or body before, within a day.',
    then: 'Use a new key for each new request, and the same key only to send the same request again.',
  },
  idempotency_in_progress: {
    means: 'A request with this `Idempotency-Key` is being worked at this moment.',
    then: 'Send it again in a second: you then get the answer of the first.',
  },
  storage_unavailable: {
    means: 'The database does not answer. Nothing of the request was kept.',
    then: 'Send it again after `Retry-After`, with the same `Idempotency-Key` if it had one.',
  },
  shutting_down: {
    means: 'This process is ending and takes nothing new. Nothing of the request was kept.',
    then: 'Send it again at once: another process answers.',
  },
  provider_unavailable: {
    means: 'The provider gave no usable answer.',
    then: 'Try again later.',
  },
  provider_refused: {
    means: 'The provider said no, e.g. to the credentials of a provider app or to a code.',
    then: 'Check what `detail` names; the same request is refused again.',
  },
  subject_mismatch: {
    means: 'The account at the provider is not the one that this connection is of.',
    then: 'Let the person sign in with the account that they connected before, or disconnect first.',
  },
  not_replayable: {
    means: 'Another try would end the same way.',
    then: 'See the reason of the dead letter or delivery; discard it, or mend the cause first.',
  },
  endpoint_disabled: {
    means: 'The endpoint is disabled, so nothing can be sent to it.',
    then: 'Enable it first: `PATCH /v1/endpoints/{id}` with `{"status":"enabled"}`.',
  },
  last_secret: {
    means: 'It is the only secret that still signs; without it nothing could be verified.',
    then: 'Rotate first, then end the old one.',
  },
  state_invalid: {
    means: 'The consent is not known, was finished before, or took too long.',
    then: 'Begin anew from a new connect session.',
  },
  cursor_expired: {
    means: 'What the cursor points at is older than what is kept.',
    then: 'Read the present state in whole, then follow changes from a new cursor.',
  },
  record_replaced: {
    means: 'The revision that a link names was replaced by a newer one.',
    then: 'Follow "links.latest" of the event, or wait for the event of the newer revision: an older value is a wrong one.',
  },
  record_deleted: {
    means: 'The record that a link names was deleted.',
    then: 'Drop what you hold of it; the event of type record.deleted says why.',
  },
  revision_not_reached: {
    means: 'The revision that you ask for is not reached yet.',
    then: 'Ask again after `Retry-After`.',
  },
  internal: {
    means: 'Something failed on our side. Nothing of the request was kept.',
    then: 'Send it again; if it stays, tell us the `requestId`.',
  },
};
