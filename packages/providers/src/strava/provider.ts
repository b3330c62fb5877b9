import type { Provider } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { usualAnswers } from '../usual-answers.js';
import { stravaCollections } from './collections.js';
import { fetchStravaRecords } from './fetch-records.js';
import { handshakeStrava } from './handshake.js';
import { stravaLimits } from './limits.js';
import { stravaNotices } from './notices.js';
import { stravaOAuth } from './oauth.js';
import { stravaOrigins } from './origins.js';
import { stravaSubscriptions } from './subscriptions.js';
import { verifyStrava } from './verify.js';

/** Strava API v3. */
export const strava: Provider = {
  id: 'strava',
  name: 'Strava',
  facts: {
    // A webhook is about 200 bytes; a title can be long, and Strava may add fields.
    maxBodyBytes: 64 * 1024,
    answerDeadlineMs: 2_000,
    // When the two repeats come is not documented; a day is on the safe side.
    retryHorizonMs: 86_400_000,
    grade: 'path-secret',
  },
  docs: {
    signature:
      'None that Strava documents: the address is the proof. Where `X-Strava-Signature: t=…,v1=…` comes, it must be the hex HMAC-SHA256 of `t`, a point and the raw body, keyed with the client secret; such a delivery is `signed`.',
    handshake: 'GET with `hub.mode`, `hub.verify_token` and `hub.challenge`; the challenge comes back as JSON, a wrong token gets 403.',
    deliveryId: 'None; a hash of the body, which carries object, change and time of the event.',
    retries: 'Two, for anything but 200; when is not documented.',
    limits: '200 calls in 15 minutes and 2 000 a day for each app, of which 100 and 1 000 may read.',
    uncertain: [
      'Whether Strava signs is not settled: its example shows a header, no page names the key, and receivers report mismatches. Without the header a delivery may only cause a read; with it, only the client secret opens, and anything else is refused.',
      'Each app has one subscription, but its number is known only to whoever created it: `subscription_id` stays in the kept body and is not compared.',
      'An activity that was made private answers 404, and 403 in some reports: both count as gone for a grant without `activity:read_all`.',
      'That 0 kcal means no estimate is seen and not said: it is taken for not measured.',
      'Whose device it was, and so whose record an activity repeats, is told by the name of the upload and of the device.',
      '`event_time` is in whole seconds, which two changes may share: it counts as the end of its second.',
    ],
  },
  origins: stravaOrigins,
  collections: stravaCollections,
  normalizerVersion: 1,
  limits: stravaLimits,
  oauth: stravaOAuth,
  subscriptions: stravaSubscriptions,
  classify({ method }: RawRequest) {
    return method === 'POST' ? 'delivery' : method === 'GET' ? 'handshake' : 'unsupported';
  },
  handshake: handshakeStrava,
  verify: verifyStrava,
  notices: stravaNotices,
  answer: (outcome) => (outcome === 'unsupported' ? { status: 405, headers: { allow: 'GET, POST' } } : usualAnswers[outcome]),
  // The body holds ids, a time and the words that were changed, no secret.
  redact: (body) => body,
  fetchRecords: fetchStravaRecords,
};
