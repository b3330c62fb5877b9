import { type Scope, type Whereabouts, addDays } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import {
  type ConnectionStanding,
  type RecordOwner,
  type RecordTable,
  type Sql,
  type StoredRow,
  drawRevisions,
  endRedating,
  holdConnection,
  inTransaction,
  insertEvents,
  lockPeople,
  moveDailyRows,
  openLook,
  readDaysTaken,
  readWeaklyDated,
  recordTables,
  redateRows as writeDates,
  rowName,
} from '@tributary/storage';
import { type EventContent, type EventSubject, recordUpdated } from './event-of-change.js';
import { planMoves } from './plan-moves.js';
import { type Redated, redateRow } from './redate-row.js';
import { withdraw } from './withdraw.js';
import type { WorkerContext } from './worker-context.js';

/** Whose rows they are, and what is known of where the person was. */
export interface Redating {
  readonly owner: Scope & RecordOwner & EventSubject;
  readonly standing: ConnectionStanding;
  readonly whereabouts: Whereabouts;
}

export interface RedatingEnd {
  readonly endpoints: readonly string[];
  /** Rows whose day or ground changed. */
  readonly redated: number;
}

const PAGE = 500;
/** Daily values move together, one into the place of another. Far more than a person has without a day of the provider's. */
const MOST_DAILY = 20_000;
/** Days of series that one read brings back. */
const SERIES_SPAN = 28;

/**
 * More is known of where a person was: rows whose day rests on the customer's word or on nothing get the right one. Daily values change
 * their key; sessions and measurements keep theirs and say from which day they moved; series are read anew. Killed half way, it goes on
 * with the next read of the connection, since the mark is taken away last.
 */
export async function redateConnection(context: Pick<WorkerContext, 'pool' | 'clock'>, redating: Redating): Promise<RedatingEnd> {
  const endpoints = new Set<string>();
  let redated = 0;
  for (const table of recordTables) {
    for (let after = 0; ; ) {
      const page = await inTransaction(context.pool, (client) => redatePage(client, table, { ...redating, after, now: context.clock() }));
      for (const id of page.endpoints) endpoints.add(id);
      redated += page.redated;
      if (page.next === undefined) break;
      after = page.next;
    }
  }
  await endRedating(context.pool, redating.owner, redating.owner.connectionId, redating.standing);
  return { endpoints: [...endpoints], redated };
}

interface Page extends Redating {
  readonly after: number;
  readonly now: number;
}

async function redatePage(client: Sql, table: RecordTable, page: Page): Promise<RedatingEnd & { readonly next: number | undefined }> {
  const { owner, whereabouts, now } = page;
  const daily = table.name === 'daily_rollup';
  const limit = daily ? MOST_DAILY : PAGE;
  await lockPeople(client, owner, [owner]);
  const rows = await readWeaklyDated(client, table, owner, { after: page.after, limit });
  // Rows that are written get a higher revision, and so come again at the end; then they stay.
  const next = rows.length < limit ? undefined : rows.at(-1)?.revision;
  if (table.name === 'series_day') {
    await lookAgain(client, page, rows);
    return { endpoints: [], redated: 0, next };
  }
  const redated = rows.flatMap((row) => redateRow(row, whereabouts, { provider: owner.provider, now }) ?? []);
  if (redated.length === 0) return { endpoints: [], redated: 0, next };
  const revision = await drawRevisions(client, owner, redated.length * 2);
  if (!(await holdConnection(client, owner, owner.connectionId))) return { endpoints: [], redated: 0, next: undefined };
  const events = daily
    ? await moveDaily(client, owner, redated, revision)
    : await redateInPlace(client, { table, owner, redated, revision });
  const told = await insertEvents(
    client,
    owner,
    events.map((event) => ({ ...event, id: newId('evt'), userId: owner.userId })),
  );
  return { endpoints: told, redated: redated.length, next };
}

interface InPlace {
  readonly table: RecordTable;
  readonly owner: Redating['owner'];
  readonly redated: readonly Redated[];
  readonly revision: number;
}

async function redateInPlace(client: Sql, { table, owner, redated, revision }: InPlace): Promise<EventContent[]> {
  const rows = redated.map(({ before, after }, index) => ({ before, after: { ...after, revision: revision + index } }));
  const written = await writeDates(
    client,
    table,
    owner,
    rows.map(({ before, after }) => dateOf(before, after)),
  );
  return rows
    .filter(({ after }) => written.has(rowName(after)))
    .map(({ before, after }) => {
      const previousLocalDate = before.localDate === after.localDate ? undefined : before.localDate;
      return recordUpdated(owner, { ...changeOf(owner, after), change: 'updated', previousLocalDate }, undefined);
    });
}

/** Two events for each value that moves, of one change id; in one transaction, so nobody sees it twice or not at all. */
async function moveDaily(client: Sql, owner: Redating['owner'], redated: readonly Redated[], first: number): Promise<EventContent[]> {
  const reached = redated.map(({ after }) => after as StoredRow & { readonly metric: string });
  const { stay, arrive, leave } = planMoves(redated, await readDaysTaken(client, owner, reached));
  let revision = first;
  const events: EventContent[] = [];
  const changeIds = new Map(redated.map(({ before }) => [rowName(before), newId('chg')]));
  const changeIdOf = (row: StoredRow) => changeIds.get(rowName(row)) as string;

  // A key that one value leaves and another reaches is written, and not marked as gone in between.
  const leaving = leave.map(({ before, to }) => ({
    ...before,
    version: before.state.version,
    supersededBy: to,
    changeId: changeIdOf(before),
  }));
  const moving = arrive.map(({ before, after }, index) => ({ before, after: { ...after, revision: first + leaving.length + index } }));
  const moved = await moveDailyRows(
    client,
    owner,
    moving.map(({ before, after }) => ({ ...dateOf(before, after), version: after.state.version, from: before.localDate })),
  );
  events.push(...(await withdraw(client, owner, { rows: leaving, revision, reason: 'rekeyed', readVersion: undefined })));
  revision += leaving.length + moving.length;
  for (const { before, after } of moving.filter((row) => moved.has(rowName(row.after)))) {
    const change = { ...changeOf(owner, after), changeId: changeIdOf(before), supersedes: before };
    events.push(recordUpdated(owner, { ...change, change: 'created', previousLocalDate: undefined }, undefined));
  }
  const table = recordTables.find(({ name }) => name === 'daily_rollup') as RecordTable;
  const staying = redated.filter(({ after }) => stay.includes(after));
  events.push(...(await redateInPlace(client, { table, owner, redated: staying, revision })));
  return events;
}

function changeOf(owner: Redating['owner'], row: StoredRow) {
  const { revision, state } = row;
  return { row: { ...row, owner }, revision, state, changeId: undefined, supersedes: undefined };
}

function dateOf(before: StoredRow, after: StoredRow) {
  const { dateBasis, utcOffsetS, timeZone, tzdb, provisional, contentHash, revision } = after;
  const endUtcOffsetS = 'endUtcOffsetS' in after ? after.endUtcOffsetS : undefined;
  return {
    ...after,
    version: before.state.version,
    dateBasis,
    utcOffsetS,
    endUtcOffsetS,
    timeZone,
    tzdb,
    provisional,
    contentHash,
    revision,
  };
}

/** Days of series, with one on each side, are read anew: their samples come under the right day, which no row can be told to. */
async function lookAgain(client: Sql, { owner, now }: Page, rows: readonly StoredRow[]): Promise<void> {
  const byCollection = new Map<string, string[]>();
  for (const { collection, localDate } of rows) {
    if (collection !== undefined) byCollection.set(collection, [...(byCollection.get(collection) ?? []), localDate]);
  }
  for (const [collection, days] of byCollection) {
    for (const { from, to } of spansOf(days)) await openLook(client, { ...owner, collection, from, to, dueAt: now });
  }
}

function spansOf(days: readonly string[]): { readonly from: string; readonly to: string }[] {
  const spans: { from: string; to: string }[] = [];
  for (const day of [...days].sort()) {
    const last = spans.at(-1);
    if (last !== undefined && addDays(day, 2) <= addDays(last.from, SERIES_SPAN) && day <= addDays(last.to, 7)) last.to = addDays(day, 2);
    else spans.push({ from: addDays(day, -1), to: addDays(day, 2) });
  }
  return spans;
}
