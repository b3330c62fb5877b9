import { type Span, type Zone, endOfDay } from './local-date.js';

const DAY_MS = 86_400_000;

/** The last place on Earth to end a day: UTC−12. */
const LAST_OFFSET_S = -12 * 3600;

/**
 * When a day counts as closed, in epoch milliseconds: a day after it has ended, where that is not known a day after it has ended
 * everywhere. Until then the provider is expected to change it.
 * @param startsAtH the hour of the civil day at which the provider's day begins and ends.
 */
export function closesAt(day: string, zone: Zone | undefined, startsAtH: number): number {
  return endOfDay(day, zone ?? LAST_OFFSET_S) + startsAtH * 3_600_000 + DAY_MS;
}

/** Users with several devices may never get the final word on a night (Garmin's AUTO_FINAL): this long after its end it counts as said. */
const TENTATIVE_FOR_MS = 2 * DAY_MS;

/** What decides whether a record may still change. Epoch milliseconds. */
export interface RecordStanding {
  readonly closesAt: number;
  /** `open`: it still runs (a day that is shorter than a day, a cycle without an end). `tentative`: done, not judged. */
  readonly providerSays: 'open' | 'tentative' | 'final' | undefined;
  /** End of what was recorded; matters for what is tentative. */
  readonly end: number;
  /** Nobody knows where it was (`CivilDate.provisional`). */
  readonly placeUnknown: boolean;
}

export function isProvisional({ closesAt, providerSays, end, placeUnknown }: RecordStanding, now: number): boolean {
  return now < closesAt || placeUnknown || providerSays === 'open' || (providerSays === 'tentative' && now < end + TENTATIVE_FOR_MS);
}

/**
 * Whether totals of a day that a phone computed may replace the ones we hold. Phones cut days with the calendar of the moment: after a
 * journey the same past day is computed anew with other bounds, and would replace a right number by that of another day. So a closed day
 * is replaced only by a computation over the same span.
 */
export function fitsDay(held: Span | undefined, seen: Span, closed: boolean): 'fits' | 'window_mismatch' {
  if (held === undefined || !closed) return 'fits';
  return held.start === seen.start && held.end === seen.end ? 'fits' : 'window_mismatch';
}
