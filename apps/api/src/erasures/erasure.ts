import type { ErasureRow } from '@tributary/storage';
import { z } from 'zod';
import { idOf, instant, text } from '../answers/fields.js';

export const receipt = z
  .object({
    erasureId: idOf('era'),
    requestedAt: instant(),
    completedAt: instant().nullable(),
    counts: z.record(z.string(), z.int()).describe('Rows purged, by store.'),
  })
  .meta({ id: 'ErasureReceipt' });

/** Whom to erase: by our id, or by the customer's own. */
export const newErasure = z
  .strictObject({
    userId: idOf('usr').optional().describe('Our id of the person; or else `externalId`.'),
    externalId: text(255).optional().describe('Your own id of the person.'),
  })
  .refine((wish) => (wish.userId === undefined) !== (wish.externalId === undefined), {
    path: ['userId'],
    message: 'one of userId and externalId is needed',
  })
  .meta({ id: 'NewErasure' });

export function receiptOf(row: ErasureRow): z.infer<typeof receipt> {
  return {
    erasureId: row.id,
    requestedAt: row.requestedAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
    counts: row.counts,
  };
}
