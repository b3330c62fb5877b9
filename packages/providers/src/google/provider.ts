import type { Provider } from '../provider.js';
import { usualAnswers } from '../usual-answers.js';
import { googleCollections } from './collections.js';
import { fetchGoogleRecords } from './fetch-records.js';
import { googleLimits } from './limits.js';
import { googleNotices } from './notices.js';
import { googleOAuth } from './oauth.js';
import { googleOrigins } from './origins.js';
import { faultOfServiceAccount } from './service-account.js';
import { googleSubscriptions } from './subscriptions.js';
import { googleKeyOrigin, verifyGoogle } from './verify.js';

const DAY_MS = 86_400_000;

/** Google Health API v4, the successor of the Fitbit Web API. */
export const google: Provider = {
  id: 'google',
  name: 'Google Health',
  facts: {
    // A notification has about 500 bytes; how many come in one POST is not documented.
    maxBodyBytes: 1_048_576,
    answerDeadlineMs: 5_000,
    retryHorizonMs: 7 * DAY_MS,
    grade: 'signed',
    keyOrigins: [googleKeyOrigin],
  },
  docs: {
    signature:
      'Two proofs: `Authorization` is the secret given to the subscriber, with its scheme; and ECDSA P-256 with SHA-256 over the raw body, in Tink framing and base64, in `GOOGLE-HEALTH-API-SIGNATURE` or `X-HEALTHAPI-SIGNATURE`, by a key of Google’s published set.',
    handshake:
      'POST `{"type":"verification"}` twice, unsigned: with the secret in `Authorization`, answered 201; without it, answered 401, as it must be.',
    deliveryId: 'None; a hash of the body, which carries no time, so that a repeat counts as news once the first was applied.',
    retries: 'For up to 7 days, for anything but 204, 200 included.',
    limits: '300 reads a minute for each person, 120 000 a minute and 86.4 million a day for each project; bodies up to 1 MB here.',
    uncertain: [
      'The signature’s header was renamed: both names are read, and either may prove.',
      'The body is one notification in the documentation and a list in live traffic: both are read.',
      '`civilIso8601TimeInterval` is seen as text, `start/end`, and as an object of two times: both are read.',
      'Whether 200 also passes the probe is not certain: 201, the documented answer, is given.',
      'Which scope names the person is not documented by scope: the four that we ask for are among those of the identity service.',
      'Oxygen saturation is reported by others to be filed under the day on which the night began; it is kept under Google’s own date.',
      'Whether the energy of an exercise includes what the body burns at rest is not documented: it is taken as the total.',
      'A filter that names the wrong member is answered with 200 and no points, so an answer of nothing at all never says that something is gone.',
      'The filter of drinks is taken to be that of exercises, by civil beginning, and the scope of the fitness of a day to be that of activity.',
      'What the body burns at rest has no total of the day: it is the sum of its stretches, of each source by itself.',
      'Fitness from runs and breathing by sleep stage are read as the day’s own values of the same.',
      'The zone of a profile wants a scope of its own, which is not asked for: points carry their offset, and those without are filed by the customer’s zone.',
      'Which projects take their name where the number is meant is told in two ways: the number is used, with which the id of an OAuth client begins.',
      'How soon Google gives up waiting is not documented: 5 s is assumed.',
    ],
  },
  origins: googleOrigins,
  normalizerVersion: 1,
  collections: googleCollections,
  limits: googleLimits,
  oauth: googleOAuth,
  subscriptions: googleSubscriptions,
  fetchRecords: fetchGoogleRecords,
  classify: ({ method }) => (method === 'POST' ? 'delivery' : 'unsupported'),
  // The probes are POSTs whose bodies have to be read, so they come as deliveries.
  handshake: () => usualAnswers.unsupported,
  verify: (request, app, _now, keys) => verifyGoogle(request, app, keys),
  faultOfSecret: (purpose, value) => (purpose === 'service_account' ? faultOfServiceAccount(value) : undefined),
  notices: googleNotices,
  answer: (outcome) => (outcome === 'accepted' || outcome === 'malformed' ? { status: 204 } : usualAnswers[outcome]),
  // The secret comes in a header; the body holds ids and times.
  redact: (body) => body,
};
