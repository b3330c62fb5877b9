/** Every error code a caller can meet. Stable words: they are documented, and code is written against them. */
export const problemCodes = [
  'malformed_request',
  'validation_failed',
  'unauthenticated',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'conflict',
  'gone',
  'body_too_large',
  'unsupported_media_type',
  'too_many_requests',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'storage_unavailable',
  'shutting_down',
  'provider_unavailable',
  'provider_refused',
  'subject_mismatch',
  'not_replayable',
  'endpoint_disabled',
  'last_secret',
  'state_invalid',
  'cursor_expired',
  'record_replaced',
  'record_deleted',
  'revision_not_reached',
  'internal',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

/** A failure with a code that means the same everywhere; which HTTP status it becomes is decided in one file. */
export class Problem extends Error {
  override readonly name = 'Problem';
  constructor(
    readonly code: ProblemCode,
    /** What happened, where, and what to do; safe to show to the caller. */
    message: string,
    /** One entry for each faulty field. */
    readonly faults: readonly { readonly path: string; readonly message: string }[] = [],
  ) {
    super(message);
  }
}
