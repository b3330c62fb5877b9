import type { Provider } from '../provider.js';
import { setUpElsewhere } from '../set-up-elsewhere.js';
import { usualAnswers } from '../usual-answers.js';
import { garminCollections } from './collections.js';
import { carriedGarminRecords, fetchGarminRecords } from './fetch-records.js';
import { garminLimits } from './limits.js';
import { askForGarminHistory, garminHistory, isGarminHistory } from './history.js';
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
      'A ping is read at its own address, letter by letter, whose key lives for a day and is kept sealed; reads by upload times without such a key are refused by Garmin, as reported, and only tried where no key is honoured any more.',
      'What an address shows is taken as the state of when it was told, so a ping that is read late cannot put back a day that has grown since.',
      'Epochs, respiration, oxygen and stress come in parts of a day, and a series is of a whole one: push them. Of pings they are read only where Garmin answers reads by upload times.',
      'Whether all epochs of a quarter of an hour add up is not certain; those of one kind of moving replace each other, those of several are added.',
      'Of an event of several sports the legs are kept and the whole, which says `isParent`, is not.',
      'Pushed summaries are kept only if the app’s operator accepts unsigned data; otherwise a push, like a ping, only causes a read.',
    ],
  },
  origins: garminOrigins,
  normalizerVersion: 1,
  collections: { ...garminCollections, ...garminHistory },
  limits: garminLimits,
  oauth: garminOAuth,
  subscriptions: setUpElsewhere,
  fetchRecords: (collection, window, context) =>
    isGarminHistory(collection) ? askForGarminHistory(collection, window, context) : fetchGarminRecords(collection, window, context),
  carriedRecords: carriedGarminRecords,
  classify: ({ method }) => (method === 'POST' ? 'delivery' : 'unsupported'),
  handshake: () => usualAnswers.unsupported,
  verify: verifyGarmin,
  notices: garminNotices,
  answer: (outcome) => usualAnswers[outcome],
  redact: redactGarmin,
};
