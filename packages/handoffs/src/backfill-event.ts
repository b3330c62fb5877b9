import { eventData } from './outbound-to-receiver.js';

/** A backfill that has ended, as it is stored. */
export interface EndedBackfill {
  readonly id: string;
  readonly userId: string;
  readonly externalId: string;
  readonly connectionId: string;
  readonly provider: string;
  readonly from: string;
  readonly to: string;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly parts: readonly {
    readonly collection: string;
    readonly state: 'running' | 'done' | 'not_permitted' | 'failed' | 'cancelled';
    readonly from: string;
    readonly to: string;
    readonly reached: string;
    readonly windowsDone: number;
    readonly windowsFailed: number;
    readonly records: number;
  }[];
}

/** The `data` of `backfill.completed`. */
export function backfillCompleted(
  backfill: EndedBackfill,
  status: 'completed' | 'incomplete' | 'cancelled',
  { endedAt, revision }: { readonly endedAt: Date; readonly revision: number },
): Buffer {
  const { parts } = backfill;
  const sum = (count: (part: EndedBackfill['parts'][number]) => number) => parts.reduce((all, part) => all + count(part), 0);
  return eventData('backfill.completed', {
    user: { id: backfill.userId, externalId: backfill.externalId },
    connectionId: backfill.connectionId,
    provider: backfill.provider,
    backfillId: backfill.id,
    status,
    window: { from: backfill.from, to: backfill.to },
    truncatedByProvider: parts.some(({ state, from }) => state === 'done' && from > backfill.from),
    collections: parts.map(({ collection, state, reached, windowsDone, windowsFailed, records }) => ({
      collection,
      status: state === 'running' ? 'cancelled' : state,
      from: reached,
      windowsRead: windowsDone,
      windowsFailed,
      records,
    })),
    records: sum(({ records }) => records),
    windowsFailed: sum(({ windowsFailed }) => windowsFailed),
    startedAt: backfill.createdAt.toISOString(),
    completedAt: endedAt.toISOString(),
    revision,
  });
}
