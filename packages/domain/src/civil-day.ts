const DAY_MS = 86_400_000;

/** Whether `text` is a day of the calendar, `YYYY-MM-DD`. */
export function isCivilDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/**
 * The day that a provider's text begins with. The text is cut and not parsed: Strava's `start_date_local` is wall time with a false `Z`,
 * and reading it as an instant would shift the day.
 * @returns undefined when it begins with no day.
 */
export function dayLabel(text: string): string | undefined {
  const day = text.slice(0, 10);
  return isCivilDay(day) && (text.length === 10 || /^[T ]/i.test(text.slice(10))) ? day : undefined;
}

/** @param day `YYYY-MM-DD`; calendar arithmetic, so no zone can shift it. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Civil day of an instant at an offset. @param ms epoch milliseconds @param offsetS seconds east of UTC; any whole number is legal. */
export function civilDayAt(ms: number, offsetS: number): string {
  return new Date(ms + offsetS * 1000).toISOString().slice(0, 10);
}

/** Seconds east of UTC that an RFC 3339 text ends in; undefined when it has none. */
export function offsetOfText(text: string): number | undefined {
  const match = /T.*?(?:(Z)|([+-])(\d\d):?(\d\d))$/i.exec(text.trim());
  if (!match) return undefined;
  if (match[1] !== undefined) return 0;
  const seconds = Number(match[3]) * 3600 + Number(match[4]) * 60;
  return match[2] === '-' && seconds !== 0 ? -seconds : seconds;
}
