/** A change of key, as two writes of one transaction that share a change id. */
export interface Rekeying<Key> {
  /** Sorted first, though either order is safe: a customer keeps by key and revision. */
  readonly remove: { readonly key: Key; readonly reason: 'rekeyed'; readonly supersededBy: Key };
  readonly upsert: { readonly key: Key; readonly supersedes: Key };
}

/**
 * What a daily value whose date or source has moved becomes (a zone was learned, a device got its name). Sessions and measurements need
 * none: their date is an attribute of a row that keeps its key, and a moved night is an update.
 * @returns undefined when both are one key.
 */
export function rekey<Key extends object>(from: Key, to: Key): Rekeying<Key> | undefined {
  const parts = new Set([...Object.keys(from), ...Object.keys(to)]) as Set<string & keyof Key>;
  if ([...parts].every((part) => from[part] === to[part])) return undefined;
  return { remove: { key: from, reason: 'rekeyed', supersededBy: to }, upsert: { key: to, supersedes: from } };
}

/** A session as far as it tells which one it is. Epoch milliseconds. */
export interface SessionSpan {
  readonly sourceId: string;
  readonly start: number;
  readonly end: number;
}

/** The id of a session whose provider makes a new one at every edit (Garmin sleeps, re-inserts in Health Connect): its source and minute. */
export function derivedRecordId({ sourceId, start }: SessionSpan): string {
  return `${sourceId}@${new Date(Math.round(start / 60_000) * 60_000).toISOString().slice(0, 16)}Z`;
}

/** Whether two sessions without lasting ids are one that was edited: same source, and more than half of the shorter one is in both. */
export function isSameSession(a: SessionSpan, b: SessionSpan): boolean {
  return a.sourceId === b.sourceId && overlapOf(a, b) > 0.5;
}

/** Shared time as a part of the shorter one, 0 to 1. Two sessions without length share all when they are at one instant. */
export function overlapOf(a: Omit<SessionSpan, 'sourceId'>, b: Omit<SessionSpan, 'sourceId'>): number {
  const shorter = Math.min(a.end - a.start, b.end - b.start);
  const shared = Math.min(a.end, b.end) - Math.max(a.start, b.start);
  if (shorter <= 0) return shared >= 0 ? 1 : 0;
  return Math.max(0, shared) / shorter;
}
