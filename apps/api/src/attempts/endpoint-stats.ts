import { statusClasses } from '@tributary/storage';
import { z } from 'zod';
import { instant } from '../answers/fields.js';

const HOUR_MS = 3_600_000;
/** So many slots are counted at most: a week of hours, or the days that attempts are kept. */
const MOST_SLOTS = { hour: 168, day: 31 } as const;
const SLOT_MS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;

const time = () => z.iso.datetime({ offset: true, error: 'expected a time such as 2026-12-01T09:14:00Z' });

export const statsQuery = z.strictObject({
  by: z.enum(['hour', 'day']).default('hour').describe('What is counted together; days are those of UTC.'),
  from: time().optional().describe('From the hour or day on in which this is; without it a day before `to`, or thirty of them.'),
  to: time().optional().describe('Before this; without it until now.'),
});

export interface StatsWindow {
  readonly slot: 'hour' | 'day';
  /** The start of a slot. Epoch milliseconds, as is `to`, which is exclusive. */
  readonly from: number;
  readonly to: number;
}

export const slotMs = (slot: StatsWindow['slot']): number => SLOT_MS[slot];

/** The window that was asked for. @returns a fault, in words, when it is empty or too long. */
export function statsWindow(query: z.infer<typeof statsQuery>, now: number): StatsWindow | { readonly fault: string } {
  const slot = query.by;
  const length = SLOT_MS[slot];
  const to = query.to === undefined ? now : Date.parse(query.to);
  const wanted = query.from === undefined ? to - (slot === 'hour' ? 24 : 30) * length : Date.parse(query.from);
  const from = Math.floor(wanted / length) * length;
  if (wanted >= to) return { fault: 'is not before "to"' };
  if (Math.ceil((to - from) / length) > MOST_SLOTS[slot] + 1)
    return { fault: slot === 'hour' ? 'is more than 7 days before "to"; ask by day' : 'is more than 31 days before "to"' };
  return { slot, from, to };
}

const counts = {
  attempts: z.int(),
  byOutcome: z.record(z.string(), z.int()).describe('Only outcomes that there were.'),
  byStatusClass: z.object(
    Object.fromEntries(statusClasses.map((one) => [one, z.int()])) as Record<(typeof statusClasses)[number], z.ZodInt>,
  ),
  p50Ms: z.int().nullable().describe('Half of the attempts took no longer; null: there were none.'),
  p95Ms: z.int().nullable().describe('Of twenty attempts nineteen took no longer.'),
};

export const endpointStats = z
  .object({
    from: instant(),
    to: instant(),
    by: z.enum(['hour', 'day']),
    total: z.object({
      ...counts,
      successRate: z.number().nullable().describe('Delivered attempts among all, from 0 to 1; null: there were none.'),
    }),
    slots: z.array(z.object({ from: instant(), ...counts })).describe('Oldest first, without a gap.'),
    pending: z.object({
      count: z.int().describe('Deliveries that are still owed; counted up to 10 000.'),
      more: z.boolean().describe('There are more than that: say "10000+".'),
      oldestS: z.int().nullable().describe('Seconds since the oldest of those counted became owed; null: nothing is.'),
    }),
    status: z.enum(['enabled', 'disabled']),
    disabledReason: z.string().nullable(),
    lastSuccessAt: instant().nullable(),
    failingSince: instant().nullable(),
    consecutiveFailures: z.int(),
  })
  .meta({ id: 'EndpointStats' });
