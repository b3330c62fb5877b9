import { z } from 'zod';
import { idOf, instant } from '../answers/fields.js';

const fields = {
  id: idOf('sec'),
  prefix: z.string().nullable().describe('How it begins, to tell it from others; null when it cannot be read, and then it signs nothing.'),
  publicKey: z.string().nullable().describe('Of v1a; null: v1 alone signs.'),
  createdAt: instant(),
  expiresAt: instant().nullable().describe('It signs until then; null: until it is revoked, or a rotation gives it an end.'),
};

export const endpointSecret = z.object(fields).meta({ id: 'EndpointSecret' });

export const endpointSecretList = z.object({ data: z.array(endpointSecret) }).meta({ id: 'EndpointSecretList' });

export const createdEndpointSecret = z
  .object({ ...fields, secret: z.string().describe('Verifies what we send, as Standard Webhooks says. Shown once.') })
  .meta({ id: 'CreatedEndpointSecret' });

export const newEndpointSecret = z
  .strictObject({
    asymmetric: z.boolean().default(false).describe('With an Ed25519 key beside it: v1a signs as well.'),
  })
  .default({ asymmetric: false })
  .meta({ id: 'NewEndpointSecret' });
