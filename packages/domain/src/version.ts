/**
 * Orders two states of one datum. Microseconds since 1970-01-01T00:00:00Z: of the provider's own modified time, or of the
 * start of our fetch when the provider has none (then `inferred` stands beside it). Below 2^53 until the year 2255.
 */
export type Version = number;

/** @param ms milliseconds since the epoch; fractions of a millisecond are kept to the microsecond. */
export function versionFromMs(ms: number): Version {
  return Math.round(ms * 1000);
}

/**
 * RFC 3339 text to a version, keeping microseconds (Oura stamps its events to the microsecond, `Date` would cut them).
 * @returns undefined when the text is no instant.
 */
export function versionFromText(text: string): Version | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/i.exec(text.trim());
  if (!match) return undefined;
  const zone = match[3] as string;
  const seconds = Date.parse(match[1] + (zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()));
  if (Number.isNaN(seconds)) return undefined;
  return seconds * 1000 + Number((match[2] ?? '0').padEnd(6, '0').slice(0, 6));
}

/** RFC 3339 UTC with microseconds: how a version is shown on the wire. */
export function versionToText(version: Version): string {
  const seconds = Math.floor(version / 1_000_000);
  const micros = String(version - seconds * 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${micros}Z`;
}
