import type { Verdict } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import {
  type ClaimedWindow,
  type Revised,
  type Sql,
  confirmDaily,
  confirmSessions,
  drawRevisions,
  findNewerReads,
  holdWindow,
  inTransaction,
  insertEvents,
  readDaily,
  readDailyOfDocuments,
  readSessions,
  readSessionsOfDocuments,
  removeDaily,
  removeSessions,
  upsertDaily,
  upsertSessions,
} from '@tributary/storage';
import { type EventContent, dailyUpdated, recordDeleted, sleepUpdated } from './event-of-change.js';
import { type ChangePlan, type HeldRows, dailyName, planChanges, revisionsOf, sessionName } from './plan-changes.js';
import type { SeenRows } from './seen-rows.js';
import type { WorkerContext } from './worker-context.js';

export interface Applied {
  /** `lost`: the person was erased, the connection ended, or somebody else holds the window: nothing was written. */
  readonly result: 'changed' | 'unchanged' | 'lost';
  /** Endpoints that are owed something now. */
  readonly endpoints: readonly string[];
  readonly verdicts: ReadonlyMap<Verdict, number>;
}

/** Brings the window to its next state, in the same transaction. False: the lease is not ours any more. */
export type Finish = (sql: Sql) => Promise<boolean>;

const lost: Applied = { result: 'lost', endpoints: [], verdicts: new Map() };

/** Rolls the transaction back, with the revisions that it drew. */
class LostWindow extends Error {
  override readonly name = 'LostWindow';
}

/**
 * Writes what a read showed, and finishes its window. Rows change, revisions are drawn, events and their deliveries are written in one
 * transaction; where nothing changed, none of that happens.
 */
export async function applyWindow(
  { pool }: Pick<WorkerContext, 'pool'>,
  window: ClaimedWindow,
  seen: SeenRows,
  finish: Finish,
): Promise<Applied> {
  const plan = planChanges(seen, await readHeld(pool, window, seen, false));
  // An absence is always judged under the counter: a wider read that began earlier may be writing the document at this moment.
  if (revisionsOf(plan) === 0 && seen.gone.length === 0) {
    const finished = await finishUnchanged(pool, window, plan, finish);
    if (finished !== 'moved') return finished ? { result: 'unchanged', endpoints: [], verdicts: plan.verdicts } : lost;
  }
  try {
    return await inTransaction(pool, (client) => writeChanges(client, window, seen, { expected: revisionsOf(plan), finish }));
  } catch (error) {
    if (error instanceof LostWindow) return lost;
    throw error;
  }
}

/** @returns `moved` when somebody wrote the rows since the plan was made. */
async function finishUnchanged(
  pool: WorkerContext['pool'],
  window: ClaimedWindow,
  plan: ChangePlan,
  finish: Finish,
): Promise<boolean | 'moved'> {
  const confirmed = plan.confirmedDaily.length + plan.confirmedSessions.length;
  if (confirmed === 0) return finish(pool);
  return inTransaction(pool, async (client) => {
    if (!(await holdWindow(client, window))) return false;
    const still =
      (await confirmDaily(client, window, plan.confirmedDaily)) + (await confirmSessions(client, window, plan.confirmedSessions));
    return still < confirmed ? 'moved' : finish(client);
  });
}

async function writeChanges(
  client: Sql,
  window: ClaimedWindow,
  seen: SeenRows,
  { expected, finish }: { expected: number; finish: Finish },
): Promise<Applied> {
  const first = await drawRevisions(client, window, expected);
  if (!(await holdWindow(client, window))) throw new LostWindow();
  const plan = await leaveOutOldNews(client, window, seen, planChanges(seen, await readHeld(client, window, seen, true)));
  const needed = revisionsOf(plan);
  // More changed than was foreseen: the counter is ours, so the numbers go on where they stopped.
  if (needed > expected) await drawRevisions(client, window, needed - expected);
  const events = await writeRows(client, window, plan, { first, readVersion: seen.readVersion });
  await confirmDaily(client, window, plan.confirmedDaily);
  await confirmSessions(client, window, plan.confirmedSessions);
  const endpoints = await insertEvents(
    client,
    window,
    events.map((event) => ({ ...event, id: newId('evt'), userId: window.userId })),
  );
  if (!(await finish(client))) throw new LostWindow();
  return { result: events.length > 0 ? 'changed' : 'unchanged', endpoints, verdicts: plan.verdicts };
}

/** A read of many days that began before a document was read by itself knows nothing new of that document, though no row may show it. */
async function leaveOutOldNews(client: Sql, window: ClaimedWindow, seen: SeenRows, plan: ChangePlan): Promise<ChangePlan> {
  const created = [...plan.daily, ...plan.sessions].filter(({ change }) => change === 'created').map(({ row }) => row.providerRecordId);
  if (window.windowKind === 'object' || created.length === 0) return plan;
  const { connectionId, collection } = window;
  const newer = await findNewerReads(client, window, { connectionId, collection, documents: created, readVersion: seen.readVersion });
  const isNews = ({ change, row }: ChangePlan['daily'][number] | ChangePlan['sessions'][number]) =>
    change !== 'created' || !newer.has(row.providerRecordId);
  return { ...plan, daily: plan.daily.filter(isNews), sessions: plan.sessions.filter(isNews) };
}

/** @returns one event for each row that was written, and for no other. */
async function writeRows(
  client: Sql,
  window: ClaimedWindow,
  plan: ChangePlan,
  { first, readVersion }: { first: number; readVersion: number },
): Promise<EventContent[]> {
  let next = first;
  const revised = <T>(row: T): Revised<T> => ({ ...row, revision: next++ });
  const daily = plan.daily.map((change) => ({ ...change, row: revised(change.row) }));
  const sessions = plan.sessions.map((change) => ({ ...change, row: revised(change.row) }));
  const removedDaily = plan.removedDaily.map(revised);
  const removedSessions = plan.removedSessions.map(revised);
  const removal = { version: readVersion, inferred: true, reason: 'provider_deleted' } as const;

  const wroteDaily = names(
    await upsertDaily(
      client,
      window,
      daily.map(({ row }) => row),
    ),
    dailyName,
  );
  const wroteSessions = names(
    await upsertSessions(
      client,
      window,
      sessions.map(({ row }) => row),
    ),
    sessionName,
  );
  const tookDaily = names(await removeDaily(client, window, removedDaily, removal), dailyName);
  const tookSessions = names(await removeSessions(client, window, removedSessions, removal), sessionName);
  return [
    ...daily.filter(({ row }) => wroteDaily.has(dailyName(row))).map((change) => dailyUpdated(window, change, change.row.revision)),
    ...sessions.filter(({ row }) => wroteSessions.has(sessionName(row))).map((change) => sleepUpdated(window, change, change.row.revision)),
    ...removedDaily.filter((row) => tookDaily.has(dailyName(row))).map((row) => recordDeleted(window, row, readVersion)),
    ...removedSessions.filter((row) => tookSessions.has(sessionName(row))).map((row) => recordDeleted(window, row, readVersion)),
  ];
}

function names<Key>(keys: readonly Key[], name: (key: Key) => string): Set<string> {
  return new Set(keys.map(name));
}

async function readHeld(sql: Sql, window: ClaimedWindow, seen: SeenRows, lock: boolean): Promise<HeldRows> {
  return {
    daily: seen.daily.length > 0 ? await readDaily(sql, window, seen.daily, lock) : [],
    sessions: seen.sessions.length > 0 ? await readSessions(sql, window, seen.sessions, lock) : [],
    goneDaily: seen.gone.length > 0 ? await readDailyOfDocuments(sql, window, seen.gone, lock) : [],
    goneSessions: seen.gone.length > 0 ? await readSessionsOfDocuments(sql, window, seen.gone, lock) : [],
  };
}
