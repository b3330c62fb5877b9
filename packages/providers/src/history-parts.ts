import { addDays } from '@tributary/domain';
import { isPermitted } from './is-permitted.js';
import type { CollectionFacts } from './provider.js';

/** Most days of one read, where an adapter does not say. */
const SPAN_DAYS = 30;

export interface HistoryPart {
  readonly collection: string;
  /** The consent covers it. */
  readonly permitted: boolean;
  /** Civil day, inclusive: no earlier than the provider shows anything. */
  readonly from: string;
  /** Civil day, exclusive. */
  readonly to: string;
  readonly spanDays: number;
  readonly horizonDays: number | undefined;
}

/**
 * What of a past can be read by days, collection by collection.
 * @param scopes those granted.
 * @param today by UTC; the person may live a day ahead of it.
 */
export function historyParts(
  collections: Readonly<Record<string, CollectionFacts>>,
  { scopes, from, to, today }: { scopes: readonly string[]; from: string; to: string; today: string },
): HistoryPart[] {
  return Object.entries(collections)
    .filter(([, facts]) => facts.byDays)
    .map(([collection, { horizonDays, spanDays }]) => {
      const floor = horizonDays === undefined ? from : addDays(today, 1 - horizonDays);
      return {
        collection,
        permitted: isPermitted({ collections }, collection, scopes),
        from: floor > from ? floor : from,
        to,
        spanDays: Math.min(spanDays ?? SPAN_DAYS, horizonDays ?? Infinity),
        horizonDays,
      };
    });
}
