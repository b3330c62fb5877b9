import type { Samples, Verdict } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import {
  type ClaimedWindow,
  type HeldRow,
  type Revised,
  type Sql,
  confirmRows,
  drawRevisions,
  findNewerReads,
  holdWindow,
  inTransaction,
  insertEvents,
  readHeld,
  readHeldOfDocuments,
  readSamples,
  recordTables,
  removeRows,
  rowName,
  upsertRows,
} from '@tributary/storage';
import { type EventContent, recordDeleted, recordUpdated } from './event-of-change.js';
import { type ChangePlan, type HeldRows, planChanges, revisionsOf } from './plan-changes.js';
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
  const plan = planChanges(seen, await readStanding(pool, window, seen, false));
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
  if (plan.confirmed.length === 0) return finish(pool);
  return inTransaction(pool, async (client) => {
    if (!(await holdWindow(client, window))) return false;
    return (await confirm(client, window, plan)) < plan.confirmed.length ? 'moved' : finish(client);
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
  const plan = await leaveOutOldNews(client, window, seen, planChanges(seen, await readStanding(client, window, seen, true)));
  const needed = revisionsOf(plan);
  // More changed than was foreseen: the counter is ours, so the numbers go on where they stopped.
  if (needed > expected) await drawRevisions(client, window, needed - expected);
  const events = await writeRows(client, window, plan, { first, readVersion: seen.readVersion });
  await confirm(client, window, plan);
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
  const created = plan.changes.filter(({ change }) => change === 'created').map(({ row }) => row.providerRecordId);
  if (window.windowKind === 'object' || created.length === 0) return plan;
  const { connectionId, collection } = window;
  const newer = await findNewerReads(client, window, { connectionId, collection, documents: created, readVersion: seen.readVersion });
  return { ...plan, changes: plan.changes.filter(({ change, row }) => change !== 'created' || !newer.has(row.providerRecordId)) };
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
  const changes = plan.changes.map((change) => ({ ...change, row: revised(change.row) }));
  const removed = plan.removed.map((row) => revised<HeldRow>(row));
  const before = await samplesBefore(client, window, plan);
  const removal = { version: readVersion, inferred: true, reason: 'provider_deleted' } as const;
  const wrote = new Set<string>();
  const took = new Set<string>();
  for (const table of recordTables) {
    const rows = changes.map(({ row }) => row).filter((row) => row.table === table.name);
    for (const name of await upsertRows(client, table, window, rows)) wrote.add(name);
    const gone = removed.filter((row) => row.table === table.name);
    for (const name of await removeRows(client, table, window, gone, removal)) took.add(name);
  }
  return [
    ...changes.filter(({ row }) => wrote.has(rowName(row))).map((change) => recordUpdated(window, change, before.get(rowName(change.row)))),
    ...removed.filter((row) => took.has(rowName(row))).map((row) => recordDeleted(window, row, readVersion)),
  ];
}

/** What series held that are about to change: their events say from where to where. */
function samplesBefore(client: Sql, window: ClaimedWindow, plan: ChangePlan): Promise<ReadonlyMap<string, Samples>> {
  const updated = plan.changes.filter(({ change, row }) => row.table === 'series_day' && change === 'updated');
  return readSamples(
    client,
    window,
    updated.map(({ row }) => row),
  );
}

async function confirm(client: Sql, window: ClaimedWindow, plan: ChangePlan): Promise<number> {
  let confirmed = 0;
  for (const table of recordTables) {
    const rows = plan.confirmed.filter((row) => row.table === table.name);
    confirmed += await confirmRows(client, table, window, rows);
  }
  return confirmed;
}

async function readStanding(sql: Sql, window: ClaimedWindow, seen: SeenRows, lock: boolean): Promise<HeldRows> {
  const held: { seen: HeldRow[]; gone: HeldRow[] } = { seen: [], gone: [] };
  for (const table of recordTables) {
    const rows = seen.rows.filter((row) => row.table === table.name);
    held.seen.push(...(await readHeld(sql, table, window, rows, lock)));
    held.gone.push(...(await readHeldOfDocuments(sql, table, window, seen.gone, lock)));
  }
  return held;
}
