import { type Scope, addDays, civilDayAt, grantCollection } from '@tributary/domain';
import { type Provider, historyParts, sweptCollections } from '@tributary/providers';
import {
  type HeldConnection,
  type NewBackfillPart,
  type OwedDays,
  type Sql,
  findHistorySettings,
  listBackfilledCollections,
  openFirstWindows,
} from '@tributary/storage';
import { beginBackfill } from './begin-backfill.js';

export interface Consent extends Scope {
  readonly connectionId: string;
  readonly userId: string;
  readonly provider: Provider;
  readonly scopes: readonly string[];
  /** The connection as it was; undefined: it is the first consent. */
  readonly held: HeldConnection | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Reads what a consent lays open: as a backfill the past of each collection that was not read yet, and at once what came of the others
 * while there was no grant. What the consent does not cover costs no call; the consent that covers it begins it.
 * @returns lanes that have work now
 */
export async function readOnConsent(sql: Sql, consent: Consent): Promise<readonly number[]> {
  const { tenantId, environment, connectionId, userId, provider } = consent;
  const settings = await findHistorySettings(sql, consent);
  const read = consent.held === undefined ? [] : await listBackfilledCollections(sql, consent, connectionId);
  const { owed, parts, from, to } = planReads(consent, settings, new Set(read));
  const lanes = await openFirstWindows(sql, consent, connectionId, owed);
  if (!parts.some(({ permitted }) => permitted)) return lanes;
  const wish = { tenantId, environment, userId, connectionId, provider: provider.id, cause: 'consent', from, to, parts } as const;
  return [...lanes, ...(await beginBackfill(sql, wish)).lanes];
}

/** @param read collections whose past we have. */
export function planReads(
  { provider, scopes, held, now }: Pick<Consent, 'provider' | 'scopes' | 'held' | 'now'>,
  { backfillDays, sweepDays }: { readonly backfillDays: number; readonly sweepDays: number },
  read: ReadonlySet<string>,
): { readonly owed: readonly OwedDays[]; readonly parts: readonly NewBackfillPart[]; readonly from: string; readonly to: string } {
  const today = civilDayAt(now, 0);
  // Somewhere it is tomorrow already.
  const to = addDays(today, 2);
  const recent = addDays(today, -sweepDays);
  const from = addDays(today, -Math.max(backfillDays, sweepDays));
  const fresh = historyParts(provider.collections, { scopes, from, to, today }).filter(({ collection }) => !read.has(collection));
  // A day more than since the grant ended, for clocks and zones.
  const ended = held === undefined || held.status === 'active' ? recent : addDays(civilDayAt(held.updatedAt.getTime(), 0), -1);
  const gap = { scopes, from: ended < recent ? ended : recent, to, today };
  const missed = historyParts(provider.collections, gap).filter(({ collection, permitted }) => permitted && read.has(collection));
  const grant = sweptCollections(provider, scopes).includes(grantCollection);
  return {
    owed: [...missed, ...(grant ? [{ collection: grantCollection, from: recent, to, spanDays: sweepDays + 2 }] : [])],
    parts: held === undefined ? fresh : fresh.filter(({ permitted }) => permitted),
    from,
    to,
  };
}
