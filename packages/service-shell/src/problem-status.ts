import type { ProblemCode } from '@tributary/domain';

/** The HTTP status of each problem code: the only table of it. */
export const problemStatus = {
  malformed_request: 400,
  validation_failed: 422,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  body_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  idempotency_key_reused: 409,
  storage_unavailable: 503,
  provider_unavailable: 502,
  provider_refused: 502,
  subject_mismatch: 409,
  not_replayable: 409,
  state_invalid: 400,
  cursor_expired: 410,
  revision_not_reached: 425,
  internal: 500,
} as const satisfies Record<ProblemCode, number>;
