import { z } from 'zod';
import { idOf, text } from '../answers/fields.js';
import { pageOf } from '../answers/page.js';
import { type KeyScope, keyScopes } from '../auth/key-scope.js';

const scopes = z
  .array(z.enum(keyScopes as [KeyScope, ...KeyScope[]]))
  .min(1)
  .max(keyScopes.length)
  .describe('What it may do. `*` is everything; `<area>:write` also reads.');

export const apiKey = z
  .object({
    id: idOf('key'),
    name: z.string(),
    prefix: z.string().describe('How the key begins, to tell keys apart.'),
    scopes: z.array(z.string()),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
    revokedAt: z.iso.datetime().nullable(),
    lastUsedAt: z.iso.datetime().nullable().describe('To the minute.'),
  })
  .meta({ id: 'ApiKey' });

export const createdApiKey = apiKey
  .extend({ key: z.string().describe('The whole key. Shown this once: we keep its hash and nothing else.') })
  .meta({ id: 'CreatedApiKey' });

export const apiKeyPage = pageOf(apiKey).meta({ id: 'ApiKeyPage' });

export const newApiKey = z
  .strictObject({
    name: text(100).describe('For you: what uses it.'),
    scopes: scopes.default(['*']),
    expiresAt: z.iso
      .datetime({ offset: true })
      .nullable()
      .default(null)
      .describe('From then on it opens nothing. Null: it stays until it is revoked.'),
  })
  .meta({ id: 'NewApiKey' });
