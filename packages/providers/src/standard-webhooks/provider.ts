import type { InboundProvider } from '../provider.js';
import { usualAnswers } from '../usual-answers.js';
import { standardWebhooksNotices } from './notices.js';
import { faultOfSecret } from './secret.js';
import { verifyStandardWebhooks } from './verify.js';

/** Any source that signs by the Standard Webhooks specification and sends pointers in its payload. */
export const standardWebhooks: InboundProvider = {
  id: 'standard-webhooks',
  name: 'Standard Webhooks',
  facts: {
    // The specification asks for less than 20 KB; this has room for a list of a thousand pointers and more.
    maxBodyBytes: 1024 * 1024,
    answerDeadlineMs: 15_000,
    // The plan that the specification proposes ends after 75 hours and a half.
    retryHorizonMs: 76 * 3_600_000,
    grade: 'signed',
  },
  docs: {
    signature:
      '`v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`, keyed with a `whsec_` secret, in `webhook-signature`; several with spaces between, and the header names of Svix, are taken too.',
    handshake: 'None.',
    deliveryId: '`webhook-id` (or `svix-id`), the same over retries.',
    retries: 'As the sender likes; the specification proposes ten, over three days, for anything but 2xx.',
    limits: 'The sender’s own.',
    uncertain: [
      'The specification leaves the payload open: what is taken is told in `docs/standard-webhooks-source.md`, and a type of another form is acknowledged and not read.',
      'HealthEx is said to send this way, but its page was not to be had: register it only after comparing its payload with that grammar.',
      'Whether `timestamp` is the time of the change or of sending differs between senders: `updatedAt` of an item goes before it.',
    ],
  },
  classify: ({ method }) => (method === 'POST' ? 'delivery' : 'unsupported'),
  handshake: () => usualAnswers.unsupported,
  verify: verifyStandardWebhooks,
  faultOfSecret: (purpose, value) => (purpose === 'webhook_secret' ? faultOfSecret(value) : undefined),
  notices: standardWebhooksNotices,
  answer: (outcome) => usualAnswers[outcome],
  // The scheme has no secret in the body.
  redact: (body) => body,
};
