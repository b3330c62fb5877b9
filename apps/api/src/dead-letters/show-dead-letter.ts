import type { DeadLetterRow, DeadLetterSummary } from '@tributary/storage';
import type { z } from 'zod';
import type { deadLetter, deadLetterSummary } from './dead-letter.js';

export function showDeadLetter(row: DeadLetterRow): z.infer<typeof deadLetter> {
  const { windowKind: kind, windowStart: start, windowEnd: end } = row;
  return {
    id: row.id,
    provider: row.provider,
    providerAppId: row.providerAppId,
    userId: row.userId,
    connectionId: row.connectionId,
    collection: row.collection,
    window: kind === null || start === null || end === null ? null : { kind, start, end },
    bucket: row.bucket,
    code: row.code,
    detail: row.detail,
    openedAt: row.openedAt.toISOString(),
    replays: row.replays,
    replayedAt: row.replayedAt?.toISOString() ?? null,
    closedAt: row.closedAt?.toISOString() ?? null,
    closeReason: row.closeReason,
  };
}

export function showSummary({ usersAffected, groups }: DeadLetterSummary): z.infer<typeof deadLetterSummary> {
  const openIn = (bucket?: string) =>
    groups.filter((group) => bucket === undefined || group.bucket === bucket).reduce((all, { open }) => all + open, 0);
  return {
    usersAffected,
    open: openIn(),
    byBucket: { transient: openIn('transient'), drift: openIn('drift'), unresolvable: openIn('unresolvable') },
    groups: groups.map(({ oldestAt, ...group }) => ({ ...group, oldestAt: oldestAt.toISOString() })),
  };
}
