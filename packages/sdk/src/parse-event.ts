import { type VerifiedEvent, isEventType } from './events.js';
import { readUtf8 } from './read-utf8.js';
import { VerificationError } from './verification-error.js';
import { type VerifiedRequest } from './verified-request.js';

/**
 * Reads the body of a verified request. Only the envelope is checked: the signature says who wrote the rest, and a receiver that
 * refuses fields it does not know breaks on the first addition.
 * @throws VerificationError `body_not_json`, `malformed_event`
 */
export function parseEvent({ id, sentAt, body }: VerifiedRequest): VerifiedEvent {
  const envelope = parseJson(body);
  if (typeof envelope !== 'object' || envelope === null || Array.isArray(envelope)) throw malformed('is no object');
  const { type, timestamp, deliveryAttempt, data } = envelope as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string') throw malformed('has no `type`');
  const known = isEventType(type);
  if (!known && !/^\w+(?:\.\w+)*$/.test(type)) throw malformed('has no `type`');
  if (typeof timestamp !== 'string' || Number.isNaN(Date.parse(timestamp))) throw malformed('has no `timestamp`');
  if (!Number.isSafeInteger(deliveryAttempt) || (deliveryAttempt as number) < 1) throw malformed('has no `deliveryAttempt`');
  if (typeof data !== 'object' || data === null) throw malformed('has no `data`');
  return { id, sentAt, known, type, timestamp, deliveryAttempt, data } as VerifiedEvent;
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(readUtf8(body));
  } catch {
    // The cause is left out: it may quote the body.
    throw new VerificationError('body_not_json', 'The signature is right, but the body is not JSON in UTF-8.');
  }
}

function malformed(defect: string): VerificationError {
  return new VerificationError('malformed_event', `The signature is right, but the body ${defect}: no event of Tributary.`);
}
