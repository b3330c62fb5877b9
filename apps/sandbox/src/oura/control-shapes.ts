import { z } from 'zod';
import { collectionNames } from './documents.js';
import { dataTypes, eventTypes, ouraScopes } from './scopes.js';
import { forgeries } from './webhook-message.js';

/** Bodies of the control API. Unknown fields are refused, so that a misspelt switch cannot pass for one that is on. */

const text = z.string().min(1).max(500);
const eventTime = z.iso.datetime({ offset: true, local: true });
const copies = { copies: z.int().min(1).max(1000).default(1), concurrent: z.boolean().default(false) };

export const appShape = z.strictObject({
  clientId: text,
  clientSecret: text,
  redirectUris: z.array(z.url()).default([]),
  /** "24 hours" and "30 days" both stand in Oura's description (providers.md §5.9). */
  accessTokenTtlS: z.number().positive().default(86_400),
  /** About 90 days in examples. */
  subscriptionTtlS: z.number().positive().default(7_776_000),
});

export const rotateShape = z.strictObject({
  clientSecret: text,
  /** The earlier ones are refused from now on. */
  retireOld: z.boolean().default(false),
});

export const personShape = z.strictObject({
  name: text.optional(),
  subjectId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional(),
});

export const grantShape = z.strictObject({
  clientId: text,
  scopes: z
    .array(z.enum(ouraScopes))
    .min(1)
    .default([...ouraScopes]),
});

export const notifyShape = z.strictObject({ eventType: z.enum(eventTypes).optional(), eventTime: eventTime.optional(), ...copies });

export const webhooksShape = z.strictObject({
  /** Need not be anybody's: webhooks about strangers are a case of their own. */
  subjectId: text,
  collection: z.enum(dataTypes),
  objectId: text,
  eventType: z.enum(eventTypes).default('update'),
  eventTime: eventTime.optional(),
  /** Which app's subscription; default: the apps that this person ever let in, or all when there is none. */
  clientId: text.optional(),
  ...copies,
  /** Each copy with an event time of its own: as many real changes. */
  distinct: z.boolean().default(false),
  delayMs: z.int().min(0).max(600_000).default(0),
  /** `false` answers 202 at once, and sends afterwards. */
  wait: z.boolean().default(true),
  forge: z.enum(forgeries).optional(),
  /** Signs with this one. */
  secret: text.optional(),
  /** Posts once more, to the byte, the last webhook that was sent for this subject, collection and object. */
  repeat: z.literal('same-bytes').optional(),
  /** Whether an answer other than 2xx brings it back; forged and repeated ones never come back. */
  retry: z.boolean().default(true),
});

export const collectionShape = z.enum(collectionNames);
export type WebhooksOrder = z.infer<typeof webhooksShape>;
export type Notify = z.infer<typeof notifyShape>;
