import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { pageFields, pageOf } from '../answers/page.js';

export const auditEntry = z
  .object({
    id: idOf('aud'),
    at: z.iso.datetime(),
    actor: z.string().describe('The id of an API key; `consent` for a person who consented; `upkeep` for our care of subscriptions.'),
    action: z.string().describe('`<thing>.<verb>`, e.g. `endpoint.create`.'),
    target: z.string().nullable().describe('The id of what was changed.'),
    requestId: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });

export const auditPage = pageOf(auditEntry).meta({ id: 'AuditPage' });

const word = () => z.string().regex(/^[\w.:-]{1,100}$/, 'expected letters, digits, ".", ":", "_" or "-"');
const moment = () => z.iso.datetime({ offset: true });

export const auditQuery = z.strictObject({
  ...pageFields,
  action: word().optional().describe('Only this action, e.g. `endpoint.create`.'),
  actor: word().optional().describe('Only by this actor, e.g. the id of an API key.'),
  target: word().optional().describe('Only what was done to this.'),
  from: moment().optional().describe('From this moment on.'),
  to: moment().optional().describe('Before this moment.'),
});
