import { type ClaimedWindow, type Sql, findDocumentsOfDays, findDocumentsOfSpan } from '@tributary/storage';
import type { SeenRows } from './seen-rows.js';

/**
 * A provider that names no document in a deletion says within which span something went (Google). That is its word for it: what we hold of
 * the span and a whole read of it does not show any more is gone, at once and without a second look; what it still shows is there. A read
 * that left anything out says nothing.
 */
export async function withDeletedSpan(sql: Sql, window: ClaimedWindow, seen: SeenRows): Promise<SeenRows> {
  const { expects, windowKind } = window;
  if (expects !== 'deleted' || (windowKind !== 'instants' && windowKind !== 'days')) return seen;
  if (seen.read.via !== 'pull' || !seen.read.complete || seen.putAside.length > 0) return seen;
  const find = windowKind === 'days' ? findDocumentsOfDays : findDocumentsOfSpan;
  const held = await find(sql, { ...window, from: window.windowStart, to: window.windowEnd });
  const shown = new Set(seen.rows.map(({ row }) => row.providerRecordId));
  const gone = held.filter((document) => !shown.has(document));
  return gone.length === 0 ? seen : { ...seen, gone: [...new Set([...seen.gone, ...gone])] };
}
