import { Problem, addDays, civilDayAt } from '@tributary/domain';
import { type HistoryPart, type Provider, historyParts } from '@tributary/providers';
import type { z } from 'zod';
import { MOST_DAYS, type newBackfill } from './backfill.js';

/**
 * What a request for a backfill asks for.
 * @param now epoch milliseconds
 * @throws Problem `validation_failed` with the field at fault; `conflict` when nothing of the provider can be read by days.
 */
export function planRequest(
  wish: z.infer<typeof newBackfill>,
  provider: Pick<Provider, 'id' | 'name' | 'collections'>,
  { scopes, now }: { scopes: readonly string[]; now: number },
): { readonly from: string; readonly to: string; readonly parts: readonly HistoryPart[] } {
  const today = civilDayAt(now, 0);
  // Somewhere it is tomorrow already.
  const end = addDays(today, 2);
  const to = wish.to ?? end;
  if (to > end) throw fault('to', `must not be later than ${end}`);
  if (wish.from >= to) throw fault('from', `must be earlier than ${to}`);
  if (wish.from < addDays(today, -MOST_DAYS)) throw fault('from', `must not be earlier than ${addDays(today, -MOST_DAYS)}`);
  const all = historyParts(provider.collections, { scopes, from: wish.from, to, today });
  if (all.length === 0)
    throw new Problem('conflict', `${provider.name} cannot be read by days: what it has of the past, it sends by itself or not at all.`);
  const known = new Set(all.map(({ collection }) => collection));
  const unknown = (wish.collections ?? []).findIndex((name) => !known.has(name));
  if (unknown >= 0) throw fault(`collections.${unknown}`, `is none of ${[...known].join(', ')}`);
  const parts = all
    .filter(({ collection }) => wish.collections === undefined || wish.collections.includes(collection))
    .filter(({ collection }) => {
      const holds = provider.collections[collection]?.holds;
      return wish.kinds === undefined || (holds !== undefined && wish.kinds.includes(holds));
    });
  if (parts.length === 0) throw fault('kinds', 'leave nothing to read');
  if (!parts.some(({ permitted }) => permitted))
    throw new Problem('conflict', 'The person’s consent covers none of this. It is read by itself once a consent covers it.');
  return { from: wish.from, to, parts };
}

function fault(path: string, message: string): Problem {
  return new Problem('validation_failed', 'One field is not usable; see "faults".', [{ path, message }]);
}
