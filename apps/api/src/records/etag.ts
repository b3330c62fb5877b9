import { hash } from 'node:crypto';

/** Of one record: its revision, which no two states of it share. */
export function etagOfRevision(revision: number): string {
  return `"${revision}"`;
}

/**
 * Of a list: the highest revision in it, and a digest of what it shows. The revision alone would not do: when an entry is deleted, that of
 * the rest stays. @param shown the answer as it is sent, without its cursor, which is another one each time.
 */
export function etagOfList(shown: string, revisions: readonly number[]): string {
  const highest = revisions.reduce((most, revision) => Math.max(most, revision), 0);
  return `"${highest}-${hash('sha256', shown, 'base64url').slice(0, 22)}"`;
}

/** Whether the caller holds that very answer. RFC 9110 §13.1.2: compared weakly; `*` is any. */
export function holds(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
