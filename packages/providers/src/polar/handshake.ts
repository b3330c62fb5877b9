import type { AppForVerification, ProbeAnswer } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { verifyPolar } from './verify.js';

/** A PING is about 50 bytes; nothing longer is looked at before its proof. */
const LONGEST_PING = 512;

/**
 * While a webhook is made, Polar sends a PING, and shows the key only once that was answered 200: it cannot be proved. Polar names the
 * event in a header too, but the body decides where both are there: a delivery must not be taken for a PING and be lost.
 */
export function isPing({ method, headers, body }: RawRequest): boolean {
  if (method !== 'POST' || body.length > LONGEST_PING) return false;
  return (eventOf(body) ?? headers.get('polar-webhook-event')) === 'PING';
}

/** Answered whoever sent it. Only with a right signature, which a later PING may have, does it prove the address. */
export function answerPing(request: RawRequest, app: AppForVerification): ProbeAnswer {
  return verifyPolar(request, app).ok ? { status: 200 } : { status: 200, unproved: true };
}

function eventOf(body: Buffer): unknown {
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return typeof parsed === 'object' && parsed !== null && 'event' in parsed ? parsed.event : undefined;
  } catch {
    return undefined;
  }
}
