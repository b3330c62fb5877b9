import { dailyMetrics, measurementMetrics, seriesMetrics } from '@tributary/domain';
import type { StoredPriority } from '@tributary/storage';
import { z } from 'zod';
import { instant, text } from '../answers/fields.js';

const metrics = [
  ...new Set([
    ...Object.keys(dailyMetrics),
    ...Object.keys(measurementMetrics),
    ...Object.keys(seriesMetrics),
    'blood_pressure',
    'sleep_session',
    'workout',
  ]),
] as [string, ...string[]];

export const metricOfList = z.enum(metrics);

const entries = z
  .array(
    z.strictObject({
      by: z.enum(['source', 'provider', 'type']).describe('`type`: the kind of device, such as `watch`.'),
      is: text(255),
    }),
  )
  .min(1)
  .max(50)
  .refine((all) => new Set(all.map(({ by, is }) => `${by} ${is}`)).size === all.length, 'names something twice');

export const newSourcePriority = z
  .strictObject({ entries: entries.describe('Best first. What no entry names comes after all of them, by kind of device.') })
  .meta({ id: 'NewSourcePriority' });

export const sourcePriority = z
  .object({
    metric: z.string(),
    userId: z.string().nullable().describe('Null: for every user without a list of their own.'),
    entries: z.array(z.object({ by: z.enum(['source', 'provider', 'type']), is: z.string() })),
    updatedAt: instant(),
  })
  .meta({ id: 'SourcePriority' });

export const sourcePriorityList = z.object({ data: z.array(sourcePriority) }).meta({ id: 'SourcePriorityList' });

export function showPriority({ metric, userId, entries: stored, updatedAt }: StoredPriority): z.infer<typeof sourcePriority> {
  return { metric, userId, entries: stored.map(({ by, is }) => ({ by, is })), updatedAt: updatedAt.toISOString() };
}
