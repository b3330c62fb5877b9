import type { ErasureRow } from '@tributary/storage';
import { z } from 'zod';
import { idOf, instant } from '../answers/fields.js';

export const receipt = z
  .object({
    erasureId: idOf('era'),
    requestedAt: instant(),
    completedAt: instant().nullable(),
    counts: z.record(z.string(), z.int()).describe('Rows purged, by store.'),
  })
  .meta({ id: 'ErasureReceipt' });

export function receiptOf(row: ErasureRow): z.infer<typeof receipt> {
  return {
    erasureId: row.id,
    requestedAt: row.requestedAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
    counts: row.counts,
  };
}
