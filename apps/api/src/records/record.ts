import { dailyMetrics } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { z } from 'zod';
import { civilDate, text } from '../answers/fields.js';
import { pageFields, pageOf } from '../answers/page.js';

/** As in the event, without what only an event has. */
const daily = eventSchemas['daily.updated'];
const sleep = eventSchemas['sleep.updated'];

export const dailyValue = daily.omit({ user: true, change: true }).meta({ id: 'DailyValue' });
export const dailyValuePage = pageOf(dailyValue).meta({ id: 'DailyValuePage' });
export const sleepSession = sleep.omit({ user: true, change: true, previousLocalDate: true }).meta({ id: 'SleepSession' });
export const sleepSessionPage = pageOf(sleepSession).meta({ id: 'SleepSessionPage' });

const narrow = {
  from: civilDate().optional().describe('First day, inclusive.'),
  to: civilDate().optional().describe('Last day, inclusive.'),
  provider: text(64).optional(),
  sourceId: text(255).optional(),
  ...pageFields,
};

export const dailyQuery = z.strictObject({
  metric: z.enum(Object.keys(dailyMetrics) as [keyof typeof dailyMetrics]).optional(),
  ...narrow,
});
export const sleepQuery = z.strictObject(narrow);
