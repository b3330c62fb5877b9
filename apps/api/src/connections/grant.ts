import { z } from 'zod';
import { idOf, instant, text } from '../answers/fields.js';
import { pageFields, pageOf } from '../answers/page.js';

const token = text(8_192);

export const importedGrant = z
  .strictObject({
    userExternalId: text(255).describe('Your own id of the person. A user is made when none has it.'),
    provider: text(64),
    subjectId: text(256).describe("The provider's id of the person."),
    accessToken: token,
    refreshToken: token.optional(),
    scopes: z.array(text(256)).max(100).optional().describe('As the provider granted them; all that we ask for unless said.'),
    expiresAt: instant().optional().describe('Of the access token; an hour from now unless said.'),
  })
  .meta({ id: 'ImportedGrant' });

export const grantImport = z
  .strictObject({
    connections: z.array(importedGrant).min(1).max(100),
    verify: z
      .boolean()
      .default(true)
      .describe(
        'Ask the provider whose token it is before it is kept. A token that is not honoured any more is refreshed, which at some providers makes the old refresh token worthless.',
      ),
  })
  .meta({ id: 'GrantImport' });

export const importOutcome = z
  .object({
    index: z.int().describe('Of the entry, from 0.'),
    status: z
      .enum(['created', 'renewed', 'unchanged', 'refused'])
      .describe('`unchanged`: the person has a grant here that works, and it stays. `refused`: see `code` and `detail`.'),
    userId: idOf('usr').nullable(),
    connectionId: idOf('con').nullable(),
    code: z.string().nullable().describe('A code of a problem; `gone` for a person who was erased and has not consented since.'),
    detail: z.string().nullable(),
  })
  .meta({ id: 'ImportOutcome' });

export const importOutcomes = z.object({ data: z.array(importOutcome) }).meta({ id: 'ImportOutcomes' });

export const grantExport = z
  .strictObject({ ...pageFields, limit: z.int().min(1).max(200).default(100).describe('Entries on a page.') })
  .default({ limit: 100 })
  .meta({ id: 'GrantExport' });

export const exportedGrant = z
  .object({
    connectionId: idOf('con'),
    userExternalId: z.string(),
    provider: z.string(),
    clientId: z.string().describe('Of the provider app that the tokens belong to.'),
    subjectId: z.string(),
    status: z.enum(['active', 'reauth_required']),
    scopes: z.array(z.string()),
    accessToken: z.string(),
    refreshToken: z.string().nullable(),
    expiresAt: instant().nullable(),
  })
  .meta({ id: 'ExportedGrant' });

export const exportedGrants = pageOf(exportedGrant).meta({ id: 'ExportedGrants' });
