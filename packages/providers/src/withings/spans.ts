import { type HealthRecord, type Window, addDays } from '@tributary/domain';

/** East of UTC a day begins up to 14 hours sooner, west of it ends up to 12 hours later. */
const EAST_S = 14 * 3600;
const WEST_S = 12 * 3600;

/** A window that Withings can be asked for: it shows no single documents. */
export type Span = Exclude<Window, { kind: 'object' }>;

export function secondsOf(window: Span): Record<string, string> {
  if (window.kind === 'whole') return {};
  const isDays = window.kind === 'days';
  const start = Math.floor(Date.parse(window.from) / 1000) - (isDays ? EAST_S : 1);
  const end = Math.ceil(Date.parse(window.to) / 1000) + (isDays ? WEST_S : 1);
  return { startdate: String(Math.max(0, start)), enddate: String(end) };
}

/** Both ends belong to the span. @param room days more on each side; a night may be filed under the day after. */
export function daysOf(window: Span, room: number): Record<string, string> {
  if (window.kind === 'whole') return { lastupdate: '0' };
  return { startdateymd: addDays(window.from.slice(0, 10), -room), enddateymd: addDays(window.to.slice(0, 10), room) };
}

export function isInside(record: HealthRecord, window: Span): boolean {
  if (record.kind === 'deleted' || window.kind === 'whole') return true;
  if (window.kind === 'days') return record.localDate >= window.from && record.localDate < window.to;
  const [from, to] = [Date.parse(window.from), Date.parse(window.to)];
  if (record.kind === 'measurement') return Date.parse(record.instant) >= from && Date.parse(record.instant) < to;
  if (record.kind === 'sleep' || record.kind === 'workout') return Date.parse(record.end) > from && Date.parse(record.start) < to;
  // A value of a day that the span touches.
  return true;
}
