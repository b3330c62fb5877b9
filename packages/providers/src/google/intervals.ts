import { type Window, addDays, isCivilDay, versionFromText } from '@tributary/domain';
import { MalformedDelivery } from '../provider.js';
import { type Fields, asObject } from '../read-fields.js';

type Days = Extract<Window, { kind: 'days' }>;
type Instants = Extract<Window, { kind: 'instants' }>;

/** Outside of these no wearable has measured anything, and text dates stop sorting by themselves. */
const FIRST_DAY = '1900-01-01';
const LAST_DAY = '2200-01-01';

/**
 * One interval of a notification. `physicalTimeInterval` is UTC; the two civil ones are the person's own wall clock and stay days, in no
 * zone. Whichever of them is there and readable is taken, the preferred kind first.
 */
export function intervalWindow(value: unknown, path: string, preferred: 'days' | 'instants'): Window {
  const interval = asObject(value, path);
  const days = civilDays(interval['civilDateTimeInterval']) ?? isoDays(interval['civilIso8601TimeInterval']);
  const instants = physical(interval['physicalTimeInterval']);
  const window = preferred === 'days' ? (days ?? instants) : (instants ?? days);
  if (window === undefined) throw new MalformedDelivery(`${path}: holds no interval that we can read`);
  return window;
}

function physical(value: unknown): Instants | undefined {
  const { startTime, endTime } = fieldsOf(value);
  const [from, end] = [epochMs(startTime, Math.floor), epochMs(endTime, Math.ceil)];
  if (from === undefined || end === undefined || end < from) return undefined;
  // A sample lies at one instant; the window of it must hold it.
  return { kind: 'instants', from: new Date(from).toISOString(), to: new Date(Math.max(end, from + 1)).toISOString() };
}

/** Milliseconds since 1970, outwards: what is finer than that is still inside. */
function epochMs(value: unknown, outwards: (ms: number) => number): number | undefined {
  const micros = typeof value === 'string' && inRange(value.slice(0, 10)) ? versionFromText(value) : undefined;
  return micros === undefined ? undefined : outwards(micros / 1000);
}

/** `{ date: { year, month, day }, time: { hours, minutes, … } }` at both ends; zero parts are left out. */
function civilDays(value: unknown): Days | undefined {
  const { startDateTime, endDateTime } = fieldsOf(value);
  const [start, end] = [fieldsOf(startDateTime), fieldsOf(endDateTime)];
  const endsAtMidnight = Object.values(fieldsOf(end['time'])).every((part) => part === 0 || part === null);
  return span(dateText(start['date']), dateText(end['date']), endsAtMidnight);
}

function dateText(value: unknown): string {
  const { year, month, day } = fieldsOf(value);
  return [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
}

/** Seen both as one text, `start/end`, and as `{ startTime, endTime }`; each end a day, or a wall-clock time without an offset. */
function isoDays(value: unknown): Days | undefined {
  const { startTime, endTime } = fieldsOf(value);
  const [start, end, more] = typeof value === 'string' ? value.split('/', 3) : [startTime, endTime];
  if (typeof start !== 'string' || typeof end !== 'string' || more !== undefined) return undefined;
  const [from, to] = [wallClock.exec(start), wallClock.exec(end)];
  if (from === null || to === null) return undefined;
  // An end that is a day alone is its beginning, as in ISO 8601 and as the physical interval beside it says.
  return span(from[1] as string, to[1] as string, /^[0:.]*$/.test(to[2] ?? ''));
}

const wallClock = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/;

/** @param endsAtMidnight the day of the end is not touched any more. */
function span(from: string, end: string, endsAtMidnight: boolean): Days | undefined {
  if (!inRange(from) || !inRange(end) || end < from) return undefined;
  return { kind: 'days', from, to: endsAtMidnight && end > from ? end : addDays(end, 1) };
}

function inRange(day: string): boolean {
  return isCivilDay(day) && day >= FIRST_DAY && day < LAST_DAY;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
