import { z } from 'zod';
import { appFields, text } from '../controls.js';
import { forgeries } from '../forged-post.js';
import { copiesShape, orderShape } from '../ordered-sends.js';
import { dataTypes, eventTypes } from './scopes.js';

const eventTime = z.iso.datetime({ offset: true, local: true });

export const appShape = z.strictObject({
  ...appFields,
  /** "24 hours" and "30 days" both stand in Oura's description (providers.md §5.9). */
  accessTokenTtlS: z.number().positive().default(86_400),
  /** About 90 days in examples. */
  subscriptionTtlS: z.number().positive().default(7_776_000),
});

export const subjectIdShape = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

export const notifyShape = z.strictObject({ eventType: z.enum(eventTypes).optional(), eventTime: eventTime.optional(), ...copiesShape });

export const webhooksShape = z.strictObject({
  ...orderShape,
  collection: z.enum(dataTypes),
  objectId: text,
  eventType: z.enum(eventTypes).default('update'),
  eventTime: eventTime.optional(),
  forge: z.enum(forgeries).optional(),
});

export type WebhooksOrder = z.infer<typeof webhooksShape>;
