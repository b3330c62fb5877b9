import type { Provider } from '../provider.js';
import { usualAnswers } from '../usual-answers.js';
import { polarCollections } from './collections.js';
import { fetchPolarRecords } from './fetch-records.js';
import { answerPing, isPing } from './handshake.js';
import { polarLimits } from './limits.js';
import { polarNotices } from './notices.js';
import { polarOAuth } from './oauth.js';
import { polarOrigins } from './origins.js';
import { polarSubscriptions } from './subscriptions.js';
import { verifyPolar } from './verify.js';

/** Polar AccessLink v3. */
export const polar: Provider = {
  id: 'polar',
  name: 'Polar',
  facts: {
    // A webhook is about 200 bytes.
    maxBodyBytes: 64 * 1024,
    answerDeadlineMs: 2_000,
    retryHorizonMs: 7 * 86_400_000,
    grade: 'signed',
  },
  docs: {
    signature:
      'Hex HMAC-SHA256 of the raw body, keyed with the `signature_secret_key` that Polar shows once, when the webhook is created, in `Polar-Webhook-Signature`; either letter case is taken.',
    handshake: 'POST of a PING, which comes before the key exists: answered 200 whoever sent it, stored nowhere, and it opens nothing.',
    deliveryId: 'None; a hash of the body, which can repeat: its time is that of sending, in whole seconds.',
    retries: 'Without a published plan; after seven days of failures Polar switches the webhook off.',
    limits: '500 reads and 20 more for each person in 15 minutes, 5 000 and 100 more for each person in a day, for each client.',
    uncertain: [
      'Sources disagree whether a PING is signed: with or without a signature it is answered alike, and only a right one counts as a handshake.',
      'The letter case of the signature is not documented: both are taken.',
      'Whether a retry keeps its `timestamp` is not said: if it does not, a retry costs one more read.',
      'Names in answers are written with hyphens in one place and with underscores in another: both are read.',
      'Clock times of continuous heart rates have no zone: the offset of the night that ended on that day is taken, else the zone of the person, else they stand as if in UTC and stay provisional.',
      'Times of tests of the blood’s oxygen are in seconds in one place and in milliseconds in another: both are read.',
      'No deadline is published: two seconds are kept to.',
    ],
  },
  origins: polarOrigins,
  collections: polarCollections,
  normalizerVersion: 1,
  limits: polarLimits,
  oauth: polarOAuth,
  subscriptions: polarSubscriptions,
  classify(request) {
    if (request.method !== 'POST') return 'unsupported';
    return isPing(request) ? 'handshake' : 'delivery';
  },
  handshake: answerPing,
  verify: verifyPolar,
  notices: polarNotices,
  answer: (outcome) => usualAnswers[outcome],
  // The body holds ids, a day and an address, no secret.
  redact: (body) => body,
  fetchRecords: fetchPolarRecords,
};
