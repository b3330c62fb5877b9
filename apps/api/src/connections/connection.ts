import { z } from 'zod';
import { idOf, instant, text, webUrl } from '../answers/fields.js';
import { pageOf } from '../answers/page.js';

export const newConnectSession = z
  .strictObject({
    userId: idOf('usr'),
    provider: text(64).describe('Id of the provider, e.g. `oura`.'),
    returnUrl: webUrl(2_000)
      .optional()
      .describe(
        'Where the person goes afterwards; gets `status`, `connectSessionId` and, where they exist, `connectionId` or `code`. Without it they see a plain page of ours.',
      ),
  })
  .meta({ id: 'NewConnectSession' });

export const connectSession = z
  .object({
    id: idOf('ses'),
    authorizeUrl: z.string().describe('Send the person here. Good once, until `expiresAt`.'),
    expiresAt: instant(),
  })
  .meta({ id: 'ConnectSession' });

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
