import type { Provider } from '../provider.js';
import { setUpElsewhere } from '../set-up-elsewhere.js';
import { usualAnswers } from '../usual-answers.js';
import { garminCollections } from './collections.js';
import { carriedGarminRecords, fetchGarminRecords } from './fetch-records.js';
import { garminLimits } from './limits.js';
import { garminNotices } from './notices.js';
import { garminOAuth } from './oauth.js';
import { garminOrigins } from './origins.js';
import { redactGarmin } from './redact.js';
import { verifyGarmin } from './verify.js';

const DAY_MS = 86_400_000;

/** Garmin Health and Activity APIs, push and ping. */
export const garmin: Provider = {
  id: 'garmin',
  name: 'Garmin',
  facts: {
    // Garmin asks for 10 MB, and for 100 MB where activity details are pushed, which we do not read. The limit holds before anything
    // is proved, so it is also what anybody can make us hold for each connection; and a body is parsed in one go, 16 MB in some 0.5 s.
    maxBodyBytes: 16 * 1_048_576,
    answerDeadlineMs: 30_000,
    retryHorizonMs: 7 * DAY_MS,
    grade: 'path-secret',
  },
  docs: {
    signature: 'None: the address is the proof; `garmin-client-id`, where it comes, must be the app’s client id.',
    handshake: 'None: the address is typed into Garmin’s portal, once for each summary type.',
    deliveryId: 'None; a hash of the body, which carries no time of its own, so that a repeat counts as news once the first was applied.',
    retries: 'For up to 7 days, for anything but 200; after about 30 days of failures Garmin stops sending.',
    limits: 'Bodies up to 16 MB here: leave pushes of activity details off, or set them to ping; backfill reads 10 000 days a minute.',
    uncertain: [
      'The specification is for partners only: names and shapes are those of public integrations.',
      'Whether every POST has `garmin-client-id` is not certain: one without it is taken on the strength of the address, one with another id is refused.',
      'Keys of summary types and of permission changes are spelled differently in manual and traffic: they are read in any letter case and under both names.',
      'Reads are by upload times with the person’s own token; whether Garmin answers them without the token of a ping, which is not kept, is not certain.',
      'Pushed summaries are kept only if the app’s operator accepts unsigned data; otherwise a push, like a ping, only causes a read.',
    ],
  },
  origins: garminOrigins,
  collections: garminCollections,
  limits: garminLimits,
  oauth: garminOAuth,
  subscriptions: setUpElsewhere,
  fetchRecords: fetchGarminRecords,
  carriedRecords: carriedGarminRecords,
  classify: ({ method }) => (method === 'POST' ? 'delivery' : 'unsupported'),
  handshake: () => usualAnswers.unsupported,
  verify: verifyGarmin,
  notices: garminNotices,
  answer: (outcome) => usualAnswers[outcome],
  redact: redactGarmin,
};
