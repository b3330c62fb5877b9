import { z } from 'zod';
import { idOf, instant, text } from '../answers/fields.js';
import { pageOf } from '../answers/page.js';

export const newProviderApp = z
  .strictObject({
    provider: text(64).describe('Id of the provider, e.g. `oura`.'),
    clientId: text(512),
    clientSecret: text(2_048).optional().describe('Of the OAuth client. Stored sealed and never shown again.'),
    webhookSecret: text(2_048)
      .optional()
      .describe(
        'What the provider proves its webhooks with, where that is not the client secret: a signing key, a `whsec_…`, the whole `Authorization` value.',
      ),
    acceptsCarried: z
      .boolean()
      .default(false)
      .describe(
        'Take data that an unsigned webhook carries, where the provider cannot be asked for it (the push of Garmin). Whoever learns the webhook address could then write values: leave it off unless you need it.',
      ),
    sandbox: z
      .boolean()
      .default(false)
      .describe('Talk to the sandbox of this installation instead of the provider; only in the test environment.'),
    toleranceS: z.int().min(0).max(86_400).default(300).describe('How far the signed time of a webhook may lie from ours, either way.'),
  })
  .meta({ id: 'NewProviderApp' });

const fields = {
  id: idOf('app'),
  provider: z.string(),
  appKey: z.string().describe('Our part of the webhook address.'),
  clientId: z.string(),
  sandbox: z.boolean(),
  toleranceS: z.number(),
  acceptsCarried: z.boolean(),
  state: z.enum(['pending', 'active', 'disabled']).describe('`active` once the provider has proved the webhook address by its handshake.'),
  webhookUrl: z.string().describe('Where the provider sends webhooks to.'),
  redirectUri: z.string().describe('Register this at the provider as the redirect address of its OAuth.'),
  handshakenAt: instant().nullable(),
  subscriptions: z
    .object({
      keptBy: z
        .enum(['tributary', 'person', 'operator'])
        .describe(
          '`tributary`: asked for with the credentials of the app, and looked at daily once you have asked for them or the provider has proved the address. `person`: asked for with each connection and with its every sweep. `operator`: set up by you in the console of the provider.',
        ),
      state: z
        .enum(['not_started', 'kept', 'failing'])
        .nullable()
        .describe('What the last check found. `failing`: webhooks may be missing; null where there is nothing to check.'),
      lastCheckedAt: instant().nullable(),
      lastKeptAt: instant().nullable().describe('The last check that left everything as it should be.'),
      lastError: z
        .string()
        .nullable()
        .describe(
          'A stable word, e.g. `subscription_elsewhere`: they lead to an address that is not of this app, and are taken only when you ask.',
        ),
      expiresAt: instant().nullable().describe('When the first of them would run out; they are renewed before.'),
      nextCheckAt: instant().nullable(),
    })
    .describe('How the webhooks of the provider are kept pointed at us.'),
  createdAt: instant(),
};

export const providerApp = z.object(fields).meta({ id: 'ProviderApp' });

export const createdProviderApp = z
  .object({
    ...fields,
    verificationToken: z
      .string()
      .describe('Proves to us that a handshake is yours. Needed only if you register the webhook address yourself; shown once.'),
  })
  .meta({ id: 'CreatedProviderApp' });

export const providerAppPage = pageOf(providerApp).meta({ id: 'ProviderAppPage' });

export const newProviderAppSecret = z
  .strictObject({
    purpose: z
      .enum(['client_secret', 'webhook_secret', 'service_account'])
      .describe('`service_account`: the JSON key of a service account that manages the subscribers of a Google Cloud project.'),
    value: text(8_192),
    overlapS: z
      .int()
      .min(0)
      .max(604_800)
      .describe('How long the earlier secrets stay good beside this one: 0 ends them at once, 604800 is a week.'),
  })
  .meta({ id: 'NewProviderAppSecret' });

export const addedSecret = z
  .object({
    id: idOf('sec'),
    retiring: z.int().describe('How many earlier secrets now have an end.'),
  })
  .meta({ id: 'AddedSecret' });

export const ensuredSubscriptions = z
  .object({
    created: z.int(),
    renewed: z.int(),
    present: z.int(),
  })
  .meta({ id: 'EnsuredSubscriptions' });

export const providerAppPatch = z
  .strictObject({
    toleranceS: z.int().min(0).max(86_400).optional(),
    acceptsCarried: z.boolean().optional(),
    disabled: z
      .boolean()
      .optional()
      .describe('True: its webhooks are refused, nobody consents through it, and its subscriptions are left alone. False: as before.'),
  })
  .refine((patch) => Object.values(patch).some((value) => value !== undefined), 'says nothing to change')
  .meta({ id: 'ProviderAppPatch' });

export const providerAppSecrets = z
  .object({
    data: z.array(
      z.object({
        id: idOf('sec'),
        purpose: z.enum(['client_secret', 'webhook_secret', 'verification_token', 'service_account']),
        live: z.boolean(),
        createdAt: instant(),
        retiresAt: instant().nullable().describe('When it stops being good; null: no end was set.'),
      }),
    ),
  })
  .meta({ id: 'ProviderAppSecrets' });

export const providerAppTest = z
  .object({
    ok: z.boolean().describe('Nothing failed; what is pending may still come.'),
    checks: z.array(
      z.object({
        name: z.enum(['enabled', 'credentials', 'handshake', 'subscriptions']),
        result: z.enum(['ok', 'pending', 'failed', 'skipped']),
        detail: z.string().describe('What was found, and what to do.'),
      }),
    ),
  })
  .meta({ id: 'ProviderAppTest' });
