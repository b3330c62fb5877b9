import type { Provider } from '../provider.js';
import { setUpElsewhere } from '../set-up-elsewhere.js';
import { usualAnswers } from '../usual-answers.js';
import { whoopCollections } from './collections.js';
import { fetchWhoopRecords } from './fetch-records.js';
import { whoopLimits } from './limits.js';
import { whoopNotices } from './notices.js';
import { whoopOAuth } from './oauth.js';
import { whoopOrigins } from './origins.js';
import { verifyWhoop } from './verify.js';

/** WHOOP API v2. */
export const whoop: Provider = {
  id: 'whoop',
  name: 'WHOOP',
  facts: {
    // A webhook is about 140 bytes.
    maxBodyBytes: 64 * 1024,
    answerDeadlineMs: 10_000,
    retryHorizonMs: 3_600_000,
    grade: 'signed',
  },
  docs: {
    signature:
      'Base64 HMAC-SHA256 of `X-WHOOP-Signature-Timestamp` (milliseconds) and the raw body, keyed with the client secret, in `X-WHOOP-Signature`.',
    handshake: 'None; the address is typed into the settings of the app, with model version v2.',
    deliveryId: '`trace_id` together with the person, the type and the record; without a `trace_id` these three, and then it can repeat.',
    retries: 'Five, over about an hour, for anything but 2xx; WHOOP itself advises a daily sweep.',
    limits: '100 reads a minute and 10 000 a day, for each app.',
    uncertain: [
      'No published deadline: ten seconds stands in a catalogue, WHOOP asks for a fast answer.',
      'Whether `trace_id` stays the same over retries is not said: if it does not, a retry costs one more read.',
      'Whether a scope that was not granted is answered with 401 or 403 is not said: a 401 asks the person for their consent again.',
      'Whether one `trace_id` can belong to several events is not said: they are told apart by what they point at.',
    ],
  },
  origins: whoopOrigins,
  collections: whoopCollections,
  normalizerVersion: 1,
  limits: whoopLimits,
  oauth: whoopOAuth,
  subscriptions: setUpElsewhere,
  classify: ({ method }) => (method === 'POST' ? 'delivery' : 'unsupported'),
  handshake: () => usualAnswers.unsupported,
  verify: verifyWhoop,
  notices: whoopNotices,
  answer: (outcome) => usualAnswers[outcome],
  // The body holds ids, no secret.
  redact: (body) => body,
  fetchRecords: fetchWhoopRecords,
};
