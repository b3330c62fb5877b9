import { type WindowKind, addDays, coalesceSettling } from '@tributary/domain';
import type { SettlingWindow, WindowKey } from '@tributary/storage';
import type { SettlingWish } from './plan-changes.js';

export interface Settling {
  /** When the window itself is to be read again: epoch milliseconds. */
  readonly again: number | undefined;
  /** Single days of it. */
  readonly days: readonly SettlingWindow[];
}

/** No closed circle of reads turns faster than this. */
const SHORTEST_MS = 1_000;

/**
 * Where the wishes of one read are to be answered: an object by itself, a day by itself, however many rows of it are in doubt. What is filed
 * under a day outside of the window is seen by the window only.
 */
export function settlingWindows(window: WindowKey, wishes: readonly SettlingWish[], readTo: number): Settling {
  const isDay = ({ localDate }: SettlingWish) => window.windowKind === 'days' && !isOneDay(window) && contains(window, localDate);
  const own = coalesceSettling(wishes.filter((wish) => !isDay(wish)));
  const later = (notBefore: number) => Math.ceil(Math.max(notBefore, readTo + SHORTEST_MS));
  const dates = [...new Set(wishes.filter(isDay).map(({ localDate }) => localDate))].sort();
  const days = dates.map((date): SettlingWindow => {
    const first = coalesceSettling(wishes.filter((wish) => isDay(wish) && wish.localDate === date));
    const day = { windowKind: 'days' satisfies WindowKind, windowStart: date, windowEnd: addDays(date, 1) } as const;
    return { window: { ...keyOf(window), ...day }, notBefore: later(first?.notBefore ?? readTo) };
  });
  return { again: own && later(own.notBefore), days };
}

function keyOf({ tenantId, environment, connectionId, collection }: WindowKey) {
  return { tenantId, environment, connectionId, collection };
}

function isOneDay({ windowStart, windowEnd }: WindowKey): boolean {
  return addDays(windowStart, 1) === windowEnd;
}

function contains({ windowStart, windowEnd }: WindowKey, date: string): boolean {
  return windowStart <= date && date < windowEnd;
}
