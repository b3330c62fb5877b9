import { type Window, addDays } from '@tributary/domain';
import { Drift } from '../drift.js';

const HOUR_MS = 3_600_000;
/** The first and the last clocks on Earth: UTC+14 and UTC−12. */
const FIRST_MS = 14 * HOUR_MS;
const LAST_MS = 12 * HOUR_MS;

/** A notification without any interval: what changed is rarely older. */
const WHOLE_DAYS = 30;

/** What a window asks Google for, in both of its calendars; each holds the whole window, wherever the person is. */
export interface Span {
  /** Civil days, `to` exclusive. */
  readonly days: { readonly from: string; readonly to: string };
  /** Epoch milliseconds, `to` exclusive. */
  readonly instants: { readonly from: number; readonly to: number };
  /** By which of the two the window is meant, and so what comes is cut. */
  readonly meant: 'days' | 'instants';
}

/** @param now epoch milliseconds. @throws Drift */
export function spanOf(window: Window, now: number): Span {
  switch (window.kind) {
    case 'days':
      return spanOfDays(window.from, window.to);
    case 'whole':
      return spanOfDays(dayOf(now - WHOLE_DAYS * 24 * HOUR_MS), addDays(dayOf(now + FIRST_MS), 1));
    case 'instants': {
      const instants = { from: Date.parse(window.from), to: Date.parse(window.to) };
      // The last instant inside is a millisecond before the end.
      const days = { from: dayOf(instants.from - LAST_MS), to: addDays(dayOf(instants.to - 1 + FIRST_MS), 1) };
      return { days, instants, meant: 'instants' };
    }
    case 'object':
      throw new Drift('windows of objects are not known');
  }
}

/** The same in whole days, for what is only right by the day. */
export function wholeDays(span: Span): Span {
  return spanOfDays(span.days.from, span.days.to);
}

function spanOfDays(from: string, to: string): Span {
  const midnight = (day: string) => Date.parse(`${day}T00:00:00Z`);
  return { days: { from, to }, instants: { from: midnight(from) - FIRST_MS, to: midnight(to) + LAST_MS }, meant: 'days' };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
