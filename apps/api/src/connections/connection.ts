import { z } from 'zod';
import { idOf, instant, text, webUrl } from '../answers/fields.js';
import { pageOf } from '../answers/page.js';
import { languages } from '../connect-pages/languages.js';

const returnUrl = webUrl(2_000)
  .optional()
  .describe(
    'Where the person goes afterwards, to the letter one of the `returnUrls` of the environment; gets `status`, `connectSessionId` and, where they exist, `connectionId` or `code`. Without it they see a plain page of ours.',
  );
const language = z.enum(languages).default('en').describe('Of the hosted page.');

/** Whom a call is about: by our id, or by the customer's own, which makes the user if there is none. */
export const userFields = {
  userId: idOf('usr').optional().describe('Or `user`.'),
  user: z
    .strictObject({ externalId: text(255).describe('Your own id of the person. A user is made when none has it.') })
    .optional()
    .describe('Instead of `userId`.'),
};

export const newConnectSession = z
  .strictObject({
    ...userFields,
    providers: z
      .array(text(64))
      .min(1)
      .max(50)
      .optional()
      .describe('Ids of the providers that the hosted page offers; all that you have an app of unless said.'),
    provider: text(64)
      .optional()
      .describe(
        'Id of one provider, e.g. `oura`: `authorizeUrl` then leads straight to its consent. Whoever has that address can end the consent; the hosted page ties it to one browser.',
      ),
    returnUrl,
    language,
  })
  .meta({ id: 'NewConnectSession' });

export const connectSession = z
  .object({
    id: idOf('ses'),
    userId: idOf('usr'),
    url: z.string().describe('The hosted page. Send the person here; it is good until `expiresAt` or until they are done, in one browser.'),
    authorizeUrl: z.string().nullable().describe('With `provider`: its consent page. Good once, for ten minutes.'),
    expiresAt: instant(),
  })
  .meta({ id: 'ConnectSession' });

export const newReauthLink = z.strictObject({ returnUrl, language }).default({ language: 'en' }).meta({ id: 'NewReauthLink' });

export const refreshed = z
  .object({
    collections: z.array(z.string()).describe('What is read again now.'),
    from: z.iso.date(),
    to: z.iso.date().describe('Exclusive.'),
  })
  .meta({ id: 'Refreshed' });

export const connectSettings = z
  .strictObject({
    returnUrls: z
      .array(webUrl(2_000))
      .max(100)
      .describe('Where people may be sent back to. Compared to the letter, query and all; nobody is sent anywhere else.'),
  })
  .meta({ id: 'ConnectSettings' });

export const connection = z
  .object({
    id: idOf('con'),
    userId: idOf('usr'),
    provider: z.string(),
    providerAppId: idOf('app'),
    status: z.enum(['active', 'reauth_required', 'revoked', 'disconnected']),
    scopes: z.array(z.string()),
    sweep: z
      .object({
        lastSweptAt: instant().nullable().describe('When a sweep last read a collection to its end.'),
        nextSweepAt: instant().nullable().describe('Null while there is no grant to read with.'),
        collections: z.array(z.object({ collection: z.string(), lastSweptAt: instant() })),
      })
      .describe('The regular read of the last days, whether or not a webhook came.'),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'Connection' });

export const connectionPage = pageOf(connection).meta({ id: 'ConnectionPage' });
