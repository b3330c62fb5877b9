import { attemptOutcomes } from '@tributary/domain';
import { statusClasses } from '@tributary/storage';
import { z } from 'zod';
import { idOf } from '../answers/fields.js';
import { pageFields, pageOf } from '../answers/page.js';
import { attempt } from '../events/event.js';

export const foundAttempt = attempt.extend({ eventId: idOf('evt') }).meta({ id: 'FoundAttempt' });
export const foundAttemptPage = pageOf(foundAttempt).meta({ id: 'FoundAttemptPage' });

const time = () => z.iso.datetime({ offset: true, error: 'expected a time such as 2026-12-01T09:14:00Z' });

export const attemptSearch = z
  .strictObject({
    endpointId: idOf('ep').optional().describe('Only to this endpoint.'),
    eventId: idOf('evt').optional().describe('Only of this event.'),
    statusClass: z.enum(statusClasses).optional().describe('By the first digit of the status; `none`: no whole answer came.'),
    outcome: z.enum(attemptOutcomes).optional(),
    from: time().optional().describe('Begun then or later.'),
    to: time().optional().describe('Begun before then.'),
    ...pageFields,
  })
  .refine(({ from, to }) => from === undefined || to === undefined || Date.parse(from) < Date.parse(to), {
    path: ['to'],
    message: 'is not after "from"',
  });
