import type { Provider } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { usualAnswers } from '../usual-answers.js';
import { ouraCollections } from './collections.js';
import { fetchOuraRecords } from './fetch-records.js';
import { handshakeOura } from './handshake.js';
import { ouraLimits } from './limits.js';
import { ouraNotices } from './notices.js';
import { ouraOAuth } from './oauth.js';
import { ouraOrigins } from './origins.js';
import { ouraSubscriptions } from './subscriptions.js';
import { verifyOura } from './verify.js';

/** Oura API v2. */
export const oura: Provider = {
  id: 'oura',
  name: 'Oura',
  facts: {
    // A webhook is about 250 bytes; this is room for a field that we do not know yet.
    maxBodyBytes: 64 * 1024,
    answerDeadlineMs: 10_000,
    retryHorizonMs: 3_600_000,
    grade: 'signed',
  },
  docs: {
    signature:
      'Upper-case hex HMAC-SHA256 of `x-oura-timestamp` and the raw body, keyed with the client secret, in `x-oura-signature`; either letter case is taken.',
    handshake: 'GET with `verification_token` and `challenge`; the challenge comes back as JSON.',
    deliveryId: 'None; a hash of the body, which carries the time of the event to the microsecond.',
    retries: 'Ten, over about an hour, for anything but 2xx; 410 cancels the subscription and is never sent.',
    limits: '5 000 reads in 5 minutes, for each token and each app.',
    uncertain: [
      'The unit of `x-oura-timestamp` is not documented: seconds and milliseconds are both taken.',
      'Heart rates are written in UTC: the days of activity tell where the person was; where those may not be read, their whereabouts do.',
      'Whether the calories of a workout hold those of rest is not said: they are taken for those of moving alone.',
      'Which scope opens the estimates of VO2max is not said: `daily` is asked for.',
    ],
  },
  origins: ouraOrigins,
  collections: ouraCollections,
  normalizerVersion: 1,
  limits: ouraLimits,
  oauth: ouraOAuth,
  subscriptions: ouraSubscriptions,
  classify({ method }: RawRequest) {
    return method === 'POST' ? 'delivery' : method === 'GET' ? 'handshake' : 'unsupported';
  },
  handshake: handshakeOura,
  verify: verifyOura,
  notices: ouraNotices,
  // Repeats everything but 2xx ten times in about an hour, except 410, which cancels.
  answer: (outcome) => (outcome === 'unsupported' ? { status: 405, headers: { allow: 'GET, POST' } } : usualAnswers[outcome]),
  // The body holds ids and a time, no secret.
  redact: (body) => body,
  fetchRecords: fetchOuraRecords,
};
