import { createHmac, randomUUID } from 'node:crypto';
import { requestBytes } from '../load.mjs';

const BODY_BYTES = 1_024;
/** A provider repeats what it has no answer to; by then its first try is long committed. */
const REPEATED_AFTER = 500;

/** Shares of a stream that is no fair weather; the rest is new. */
export const fair = { duplicate: 0, unknown: 0, forged: 0 };
export const worst = { duplicate: 0.2, unknown: 0.1, forged: 0.05 };

/**
 * Signed requests of 1 KB about one of `subjects` people, made before the clock starts and handed out one by one.
 * @returns `next`, and how many of each kind it has handed out.
 */
export function requestStream({ secret, appKey, subjects, mix = fair, count }) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const sent = { new: 0, duplicate: 0, unknown: 0, forged: 0 };
  const make = (kind) => {
    const event = JSON.stringify({
      event_type: 'update',
      data_type: 'daily_activity',
      object_id: randomUUID(),
      event_time: new Date().toISOString(),
      user_id: `${kind === 'unknown' ? 'stranger' : 'subject'}-${1 + Math.floor(Math.random() * subjects)}`,
      padding: '',
    });
    const body = Buffer.from(event.replace('"padding":""', `"padding":"${'x'.repeat(BODY_BYTES - event.length)}"`));
    const signature = createHmac('sha256', kind === 'forged' ? 'guessed' : secret)
      .update(timestamp)
      .update(body)
      .digest('hex')
      .toUpperCase();
    const headers = { 'content-type': 'application/json', 'x-oura-timestamp': timestamp, 'x-oura-signature': signature };
    return { kind, bytes: requestBytes({ path: `/in/oura/${appKey}`, headers, body }) };
  };
  const fresh = [];
  const add = () => {
    let dice = Math.random();
    if ((dice -= mix.duplicate) < 0 && fresh.length > REPEATED_AFTER) {
      return { kind: 'duplicate', bytes: fresh[Math.floor(Math.random() * (fresh.length - REPEATED_AFTER))].bytes };
    }
    if (dice < 0) dice = 1;
    const one = make((dice -= mix.unknown) < 0 ? 'unknown' : (dice -= mix.forged) < 0 ? 'forged' : 'new');
    if (one.kind === 'new') fresh.push(one);
    return one;
  };
  const stock = Array.from({ length: count }, add);
  let at = 0;
  return {
    sent,
    next() {
      const one = stock[at] ?? add();
      stock[at] = undefined;
      at += 1;
      sent[one.kind] += 1;
      return one.bytes;
    },
  };
}
