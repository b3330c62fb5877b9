import { z } from 'zod';
import { idOf, instant, text } from '../answers/fields.js';
import { pageOf } from '../answers/page.js';

const zone = text(64).refine(isTimeZone, 'expected a time zone name such as Europe/Berlin');

export const newUser = z
  .strictObject({
    externalId: text(255).describe('Your own id of the person. One user each: asking again answers the one that exists.'),
    fallbackZone: zone.optional().describe('IANA time zone for records that tell none.'),
  })
  .meta({ id: 'NewUser' });

export const userPatch = z
  .strictObject({
    fallbackZone: zone
      .nullable()
      .describe('IANA time zone for records that tell none; null: none is known. Records that were dated without one move to their day.'),
  })
  .meta({ id: 'UserPatch' });

export const user = z
  .object({
    id: idOf('usr'),
    externalId: z.string(),
    fallbackZone: z.string().nullable(),
    createdAt: instant(),
  })
  .meta({ id: 'User' });

export const userPage = pageOf(user).meta({ id: 'UserPage' });

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '' && /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
