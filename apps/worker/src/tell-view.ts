import { mergeSamples } from '@tributary/handoffs';
import { newId } from '@tributary/service-shell';
import type { Scope } from '@tributary/domain';
import {
  type NewEvent,
  type ResolvedKind,
  type ResolvedRow,
  type ShownKey,
  type SleepShown,
  type SourceRef,
  type Sql,
  type WorkoutShown,
  findDailyValues,
  findLiveSessions,
  findMeasurements,
  findSeries,
  findSessions,
  findStanding,
  insertEvents,
  readDaySamples,
  readExternalIds,
  viewIsWanted,
} from '@tributary/storage';
import type { EventContent } from './event-of-change.js';
import { type ShownBySource, type ViewChange, viewDeleted, viewUpdated } from './event-of-view.js';

type Changed = ResolvedRow & { readonly change: NonNullable<ResolvedRow['change']> };

/**
 * Writes the events of rows of the view that show something else now, in the transaction that wrote the rows. Where no endpoint wants to
 * know, there are none. A record that is gone meanwhile is not shown: its own event makes the view change again, with a higher revision.
 * @returns endpoints that are owed something now.
 */
export async function tellView(sql: Sql, scope: Scope, rows: readonly ResolvedRow[]): Promise<string[]> {
  const changed = rows.filter((row): row is Changed => row.change !== undefined);
  if (changed.length === 0 || !(await viewIsWanted(sql, scope))) return [];
  const externalIds = await readExternalIds(sql, scope, [...new Set(changed.map(({ userId }) => userId))]);
  const days = await daysOfSessions(sql, scope, changed);
  const told = changed.flatMap((row): ViewChange[] => {
    const externalId = externalIds.get(row.userId);
    return externalId === undefined ? [] : [{ row, externalId, movedFrom: row.deleted ? undefined : days.left.get(sessionName(row)) }];
  });
  const live = told.filter(({ row }) => !row.deleted);
  // A session that stands on another day now has moved; it is no less there.
  const gone = told.filter(({ row }) => row.deleted && !(row.kind === 'session' && days.live.has(sessionName(row))));
  const contents: { readonly userId: string; readonly content: EventContent }[] = [];
  for (const kind of ['daily', 'session', 'measurement', 'series'] as const) {
    const ofKind = ({ row }: ViewChange) => row.kind === kind;
    for (const change of await updates(sql, scope, kind, live.filter(ofKind))) contents.push(change);
    for (const change of await deletions(sql, scope, kind, gone.filter(ofKind))) contents.push(change);
  }
  return insertEvents(
    sql,
    scope,
    contents.map(({ userId, content }): NewEvent => ({ ...content, id: newId('evt'), userId, view: 'resolved' })),
  );
}

interface Told {
  readonly userId: string;
  readonly content: EventContent;
}

async function updates(sql: Sql, scope: Scope, kind: ResolvedKind, changes: readonly ViewChange[]): Promise<Told[]> {
  if (changes.length === 0) return [];
  const shown = await readShown(sql, scope, kind, changes);
  return changes.flatMap((change, place): Told[] => {
    const one = shown.get(place);
    return one === undefined ? [] : [{ userId: change.row.userId, content: viewUpdated(change, one) }];
  });
}

async function deletions(sql: Sql, scope: Scope, kind: ResolvedKind, changes: readonly ViewChange[]): Promise<Told[]> {
  const lost = changes.flatMap(({ row, ...rest }) => (row.showed === undefined ? [] : [{ ...rest, row, showed: row.showed }]));
  const standing = await findStanding(
    sql,
    scope,
    kind,
    lost.map(({ row, showed }) => keyAt(row, showed)),
  );
  return standing.map((last) => {
    const { showed, ...change } = lost[last.ordinal - 1] as (typeof lost)[number];
    return { userId: change.row.userId, content: viewDeleted(change, showed, last) };
  });
}

/** By the places of the changes. */
async function readShown(
  sql: Sql,
  scope: Scope,
  kind: ResolvedKind,
  changes: readonly ViewChange[],
): Promise<ReadonlyMap<number, ShownBySource>> {
  const keys = changes.map(({ row }) => keyAt(row, row.resolution.picked as SourceRef));
  switch (kind) {
    case 'daily':
      return new Map((await findDailyValues(sql, scope, keys)).map((row) => [row.ordinal - 1, { is: 'daily', row }]));
    case 'session':
      return new Map(
        (await findSessions(sql, scope, keys)).map((row) => [
          row.ordinal - 1,
          keys[row.ordinal - 1]?.metric === 'sleep' ? { is: 'sleep', row: row as SleepShown } : { is: 'workout', row: row as WorkoutShown },
        ]),
      );
    case 'measurement':
      return new Map((await findMeasurements(sql, scope, keys)).map((row) => [row.ordinal - 1, { is: 'measurement', row }]));
    case 'series':
      return readSeries(sql, scope, keys, changes);
  }
}

/** With the samples of all who stand for a part of the day, as the list of the view merges them. */
async function readSeries(
  sql: Sql,
  scope: Scope,
  keys: readonly ShownKey[],
  changes: readonly ViewChange[],
): Promise<ReadonlyMap<number, ShownBySource>> {
  const shown = new Map<number, ShownBySource>();
  const found = await findSeries(sql, scope, keys);
  for (const userId of new Set(changes.map(({ row }) => row.userId))) {
    const own = found.filter(({ ordinal }) => changes[ordinal - 1]?.row.userId === userId);
    const samples = await readDaySamples(sql, scope, userId, own);
    for (const row of own) {
      const { resolution } = (changes[row.ordinal - 1] as ViewChange).row;
      shown.set(row.ordinal - 1, { is: 'series', row: mergeSamples({ ...row, resolution }, samples) });
    }
  }
  return shown;
}

function keyAt({ userId, kind, metric, localDate }: ResolvedRow, { provider, sourceId, recordId }: SourceRef): ShownKey {
  if (kind === 'session') return { userId, provider, sourceId, metric: metric === 'workout' ? 'workout' : 'sleep', item: recordId ?? '' };
  return { userId, provider, sourceId, metric, item: recordId ?? localDate };
}

interface DaysOfSessions {
  /** Sessions that the view shows on some day. */
  readonly live: ReadonlySet<string>;
  /** Days that sessions leave in this transaction. */
  readonly left: ReadonlyMap<string, string>;
}

async function daysOfSessions(sql: Sql, scope: Scope, changed: readonly Changed[]): Promise<DaysOfSessions> {
  const leaving = changed.filter(({ kind, deleted }) => kind === 'session' && deleted);
  const live = await findLiveSessions(sql, scope, leaving);
  return { live: new Set(live.map(sessionName)), left: new Map(leaving.map((row) => [sessionName(row), row.localDate])) };
}

function sessionName({ userId, metric, item }: Pick<ResolvedRow, 'userId' | 'metric' | 'item'>): string {
  return `${userId} ${metric} ${item}`;
}
