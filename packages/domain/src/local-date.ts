import { addDays, civilDayAt } from './civil-day.js';

/** A place on the clock: an IANA name, or seconds east of UTC. */
export type Zone = string | number;

/** Half-open, epoch milliseconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const dates = new Map<string, Intl.DateTimeFormat>();
const clocks = new Map<string, Intl.DateTimeFormat>();

/** Whether the zone data that we run on know this name. A bare offset is a number, never a name: newer engines would take its text too. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    dateFormat(name);
    return true;
  } catch {
    return false;
  }
}

/** Civil day of an instant. Throws RangeError on a zone that {@link isZone} refuses. @param ms epoch milliseconds */
export function localDate(ms: number, zone: Zone): string {
  return typeof zone === 'number' ? civilDayAt(ms, zone) : dateFormat(zone).format(ms);
}

/**
 * Whether a number is an instant of the years 1 to 9999: only those have a day that our ten
 * characters can hold. A day is left free at both ends, for offsets. Epoch milliseconds.
 */
export function isInstant(ms: number): boolean {
  return ms >= -62_135_510_400_000 && ms < 253_402_214_400_000;
}

/** Seconds east of UTC that a zone stands at, at an instant. @param ms epoch milliseconds */
export function offsetAt(ms: number, zone: Zone): number {
  if (typeof zone === 'number') return zone;
  const part: Record<string, number> = {};
  for (const { type, value } of clockFormat(zone).formatToParts(ms)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return (Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000) / 1000;
}

/**
 * The instant of a wall time without a zone, `YYYY-MM-DDThh:mm:ss`, whose offset stands beside it (Polar). Epoch milliseconds;
 * undefined when the text is no such time.
 */
export function instantOfWallTime(text: string, offsetS: number): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return undefined;
  const ms = Date.parse(`${text}Z`);
  return Number.isNaN(ms) ? undefined : ms - offsetS * 1000;
}

/** No zone has been further than this from UTC; the rest is room for days that were skipped or lived twice. */
const SEARCH_MS = 30 * 3_600_000;

/**
 * First instant of a day: the first one whose civil day is not before it. So a day that a zone skipped (Apia, 2011-12-30) is empty, and
 * days always touch. Never `+24 h`: a day may have 22 to 25 hours. Holds where the date never runs backwards, which is every zone since 2019
 * (St John's changed its clocks at 00:01 until 2011, and there the date of an instant is still right).
 */
export function startOfDay(day: string, zone: Zone): number {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (typeof zone === 'number') return midnight - zone * 1000;
  let before = midnight - SEARCH_MS;
  let after = midnight + SEARCH_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDate(middle, zone) < day) before = middle;
    else after = middle;
  }
  return after;
}

/** First instant of what follows a day. */
export function endOfDay(day: string, zone: Zone): number {
  return startOfDay(addDays(day, 1), zone);
}

export function daySpan(day: string, zone: Zone): Span {
  return { start: startOfDay(day, zone), end: endOfDay(day, zone) };
}

/** From when on a person lived at an offset; the first one reaches back without end. In the order of time. */
export interface Stay {
  readonly from: number;
  readonly offsetS: number;
}

/**
 * How much real time a civil day owns for someone who travels, in seconds: 8 h for the day of a flight from Los Angeles to Tokyo, 40 h for
 * the way back. Coverage and limits go by this, not by 24 h.
 */
export function ownedSeconds(day: string, stays: readonly Stay[]): number {
  let owned = 0;
  for (const [index, { from, offsetS }] of stays.entries()) {
    const { start, end } = daySpan(day, offsetS);
    const left = stays[index + 1]?.from ?? Infinity;
    owned += Math.max(0, Math.min(end, left) - (index === 0 ? start : Math.max(start, from)));
  }
  return owned / 1000;
}

/** A hard limit on time (seconds awake, asleep, active) for a day that is not 24 h long. */
export function limitOfDay(limit: number, daySeconds: number): number {
  return (limit * daySeconds) / 86_400;
}

function dateFormat(zone: string): Intl.DateTimeFormat {
  return cached(dates, zone, { year: 'numeric', month: '2-digit', day: '2-digit' });
}

function clockFormat(zone: string): Intl.DateTimeFormat {
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  return cached(clocks, zone, { year: 'numeric', month: '2-digit', day: '2-digit', ...time });
}

/** A format costs a thousand times what it costs to use one. Zones are a few hundred, so nothing needs to leave. */
function cached(formats: Map<string, Intl.DateTimeFormat>, timeZone: string, parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, calendar: 'iso8601', numberingSystem: 'latn', ...parts });
    formats.set(timeZone, format);
  }
  return format;
}
