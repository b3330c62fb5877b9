/** Why a request was not believed. Stable words: code may be written against them. */
export type VerificationErrorCode =
  /** One of `webhook-id`, `webhook-timestamp`, `webhook-signature` is not there. Never read as "unsigned is fine". */
  | 'missing_header'
  | 'malformed_header'
  /** The signature header holds no entry of a version that this SDK knows. */
  | 'unsupported_version'
  /** No secret was given. An empty list never means "accept everything". */
  | 'no_secret'
  | 'malformed_secret'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  /** The body is a parsed object, or was read before; the bytes as they came are needed. */
  | 'body_not_bytes'
  /** Refused before anything was hashed. */
  | 'body_too_large'
  /** Rightly signed, and not JSON in UTF-8. */
  | 'body_not_json'
  /** Rightly signed JSON, and not an event. */
  | 'malformed_event';

export interface VerificationDetail {
  /** For the two timestamp codes: how far the sender's clock was from ours, in seconds; positive is in the past. */
  readonly skewSeconds?: number;
  /** For the two timestamp codes: the time of the attempt by the sender's clock, and of the look at it by ours. */
  readonly sentAt?: Date;
  readonly checkedAt?: Date;
  /** For the header codes: which header. */
  readonly header?: string;
  /** For `signature_mismatch`: what was done to the body on the way, when one such change was proved. */
  readonly bodyMistake?: BodyMistake;
}

/** A change to the raw body that, undone, makes the signature right. */
export type BodyMistake =
  | 'newline_added'
  | 'newline_removed'
  | 'bom_added'
  | 'bom_removed'
  | 'line_ends_changed'
  | 'whitespace_added'
  | 'json_reserialised'
  | 'json_encoded_twice'
  | 'base64_encoded'
  | 'decoded_as_latin1';

/** Holds no body, no signature and no secret, in the message or elsewhere: safe to log. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  declare readonly skewSeconds: number | undefined;
  declare readonly sentAt: Date | undefined;
  declare readonly checkedAt: Date | undefined;
  declare readonly header: string | undefined;
  declare readonly bodyMistake: BodyMistake | undefined;

  constructor(
    readonly code: VerificationErrorCode,
    /** What is wrong and what to do about it. */
    message: string,
    detail: VerificationDetail = {},
  ) {
    super(message);
    Object.assign(this, detail);
  }
}
