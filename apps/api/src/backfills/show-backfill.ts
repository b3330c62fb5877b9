import { estimatedEnd } from '@tributary/domain';
import type { BackfillPartRow, BackfillRow } from '@tributary/storage';
import type { z } from 'zod';
import type { backfill } from './backfill.js';

/** @param now epoch milliseconds */
export function showBackfill(row: BackfillRow, now: number): z.infer<typeof backfill> {
  // What is not permitted is no part of what is left to do.
  const counted = row.parts.filter(({ state }) => state !== 'not_permitted');
  const sum = (count: (part: BackfillPartRow) => number) => counted.reduce((all, part) => all + count(part), 0);
  const days = { total: sum((part) => part.days), done: sum((part) => part.daysDone), failed: sum((part) => part.daysFailed) };
  const paused = row.state === 'running' && row.connectionStatus !== 'active';
  const endsAt =
    row.state === 'running' && !paused
      ? estimatedEnd({ startedAt: row.createdAt.getTime(), now, done: days.done + days.failed, total: days.total })
      : undefined;
  return {
    id: row.id,
    connectionId: row.connectionId,
    userId: row.userId,
    provider: row.provider,
    cause: row.cause,
    state: row.state,
    paused,
    from: row.from,
    to: row.to,
    days,
    windows: { done: sum((part) => part.windowsDone), failed: sum((part) => part.windowsFailed) },
    records: sum((part) => part.records),
    estimatedEndAt: endsAt === undefined ? null : new Date(endsAt).toISOString(),
    collections: row.parts.map((part) => ({
      collection: part.collection,
      state: part.state,
      from: part.from,
      to: part.to,
      reached: part.reached,
      days: { total: part.days, done: part.daysDone, failed: part.daysFailed },
      windows: { done: part.windowsDone, failed: part.windowsFailed },
      records: part.records,
    })),
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}
