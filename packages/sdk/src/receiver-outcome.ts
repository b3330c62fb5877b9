import { type VerifiedEvent } from './events.js';
import { type VerificationError, type VerificationErrorCode } from './verification-error.js';

export type ReceiverOutcome =
  | { readonly is: 'handled'; readonly event: VerifiedEvent }
  /** Proved, and no handler wants it. Not remembered, so that a replay reaches a handler that is added later. */
  | { readonly is: 'ignored'; readonly event: VerifiedEvent }
  /** Handled before. */
  | { readonly is: 'duplicate'; readonly event: VerifiedEvent }
  /** Another process, or another request, handles it at this moment. */
  | { readonly is: 'in-progress'; readonly event: VerifiedEvent; readonly retryAfterSeconds: number }
  | { readonly is: 'refused'; readonly error: VerificationError }
  /** Not handled, or not known to be; the next attempt tries again. `event` is undefined before it is proved. */
  | {
      readonly is: 'failed';
      readonly stage: 'verify' | 'claim' | 'handler' | 'complete';
      readonly error: unknown;
      readonly event: VerifiedEvent | undefined;
      /** Asked for by the handler, with `RetryLater`. */
      readonly retryAfterSeconds: number | undefined;
    }
  /** The process ends; another will handle it. */
  | { readonly is: 'draining'; readonly retryAfterSeconds: number };

/** What a person may want to know of. */
export type Problem = Extract<ReceiverOutcome, { is: 'refused' | 'failed' }>;

/** An HTTP answer. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Faults of the receiver's own set-up: the sender did nothing wrong, and the operator should see a server error. */
const ourFault: ReadonlySet<VerificationErrorCode> = new Set(['no_secret', 'malformed_secret', 'body_not_bytes']);

/**
 * The answer that makes the sender do the right thing: 2xx ends the delivery, everything else brings the event again. A refusal
 * names its code, which helps whoever reads the sender's log and tells a forger nothing new.
 */
export function replyTo(outcome: ReceiverOutcome): Reply {
  switch (outcome.is) {
    case 'handled':
    case 'ignored':
    case 'duplicate':
      return { status: 204, headers: {}, body: '' };
    case 'in-progress':
      return json(503, { code: 'in_progress' }, { 'retry-after': String(outcome.retryAfterSeconds) });
    case 'refused':
      if (outcome.error.code === 'body_too_large') return json(413, { code: 'body_too_large' });
      return ourFault.has(outcome.error.code) ? json(500, { code: 'misconfigured' }) : json(400, { code: outcome.error.code });
    case 'failed':
      return outcome.retryAfterSeconds === undefined
        ? json(500, { code: 'not_handled' })
        : json(503, { code: 'retry_later' }, { 'retry-after': String(outcome.retryAfterSeconds) });
    case 'draining':
      return json(503, { code: 'draining' }, { 'retry-after': String(outcome.retryAfterSeconds) });
  }
}

function json(status: number, body: { readonly code: string }, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
