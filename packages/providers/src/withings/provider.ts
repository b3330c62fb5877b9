import type { Provider } from '../provider.js';
import type { RawRequest } from '../raw-request.js';
import { provedByAddress } from '../signature/by-address.js';
import { usualAnswers } from '../usual-answers.js';
import { withingsCollections } from './collections.js';
import { fetchWithingsRecords } from './fetch-records.js';
import { withingsLimits } from './limits.js';
import { withingsNotices } from './notices.js';
import { withingsOAuth } from './oauth.js';
import { withingsOrigins } from './origins.js';
import { withingsSubscriptions } from './subscriptions.js';

/** Withings public health-data API. */
export const withings: Provider = {
  id: 'withings',
  name: 'Withings',
  facts: {
    // A notification is about 100 bytes.
    maxBodyBytes: 16 * 1024,
    answerDeadlineMs: 2_000,
    // Five cycles of two tries: at once, after 10 s, 11 min, 80 min and 270 min at most, each pause counted from the cycle before.
    retryHorizonMs: 21_670_000,
    grade: 'path-secret',
  },
  docs: {
    signature: 'None, and no secret in the request: the address is the proof.',
    handshake:
      'HEAD, or GET in the older flow, for each person who is subscribed; 200 without a body. An empty POST counts as such a probe.',
    deliveryId: 'None; a hash of the body, which two changes may share, so a repeat is news once the first was read.',
    retries: 'Ten tries in five cycles over about six hours, for any status from 400.',
    limits: '120 calls a minute for each app.',
    uncertain: [
      'Whether `enddate` belongs to the span is not said: the second that it names is read too.',
      '`date` is a civil day, but Unix seconds for some events: those are read as the three days on which they may fall.',
      'An older page says that four failures in a row end a subscription, the current one does not: subscriptions are to be listed daily.',
      'What a worthless code or refresh token is answered with stands nowhere: 503, as seen, unless it speaks of the client, and 401 where it speaks of the token.',
      'What a missing scope is answered with is not certain: 214, 277, 403 and 2553 are taken for it, and numbers that nobody explained for a fault that passes.',
      'Nights are not told from naps: under three hours in bed is a nap.',
      'Measures have no zone of their own: they are filed by the zone that the profile had then, as far as it is known.',
      'Whether samples over the day have their own notification is not said: they are read with the day of activity.',
      'The current list of `appli` numbers stands in the portal: those that we do not know are acknowledged.',
    ],
  },
  origins: withingsOrigins,
  normalizerVersion: 1,
  collections: withingsCollections,
  limits: withingsLimits,
  oauth: withingsOAuth,
  subscriptions: withingsSubscriptions,
  classify({ method }: RawRequest) {
    return method === 'POST' ? 'delivery' : method === 'GET' || method === 'HEAD' ? 'handshake' : 'unsupported';
  },
  // The probe holds nothing that could be compared.
  handshake: () => ({ status: 200 }),
  verify: () => provedByAddress,
  notices: withingsNotices,
  // Any status below 400 counts as received.
  answer: (outcome) => (outcome === 'unsupported' ? { status: 405, headers: { allow: 'GET, HEAD, POST' } } : usualAnswers[outcome]),
  // The body holds ids and times, no secret.
  redact: (body) => body,
  fetchRecords: fetchWithingsRecords,
};
