import type { Samples, Scope, Source, WriteNote } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import {
  type ClaimedWindow,
  type Database,
  type Letter,
  type NewEvent,
  type Owned,
  type RecordTable,
  type Settlement,
  type SettlingWindow,
  type Sql,
  type Touched,
  buryWindow,
  drawRevisions,
  findNewerReads,
  holdWindows,
  inTransaction,
  insertEvents,
  lockPeople,
  planSettling,
  readSamples,
  recordTables,
  removeRows,
  replaceRows,
  rowName,
  settleWindows,
  touchRows,
  upsertRows,
} from '@tributary/storage';
import { type ChangeNumber, type EventContent, recordDeleted, recordUpdated } from './event-of-change.js';
import { type ChangePlan, type HeldRows, type RowChange, type RowRemoval, type Verdict, planChanges, revisionsOf } from './plan-changes.js';
import { readStanding } from './read-standing.js';
import type { SeenRows } from './seen-rows.js';
import { type Settling, settlingWindows } from './settling-windows.js';

/** A read that is to be written, and how its window ends. */
export interface ReadToApply {
  readonly window: ClaimedWindow;
  readonly seen: SeenRows;
  /** Instead of settling: what was read is written, and a person must look. */
  readonly letter: Letter | undefined;
  /** What else belongs into the transaction, after the statement that ends the window. */
  readonly also: ((sql: Sql) => Promise<void>) | undefined;
}

export interface Applied {
  /** `lost`: the person was erased, the connection ended, or somebody else holds the window: nothing was written. */
  readonly result: 'changed' | 'unchanged' | 'lost';
  /** Endpoints that are owed something now; those of a batch are told once. */
  readonly endpoints: readonly string[];
  readonly verdicts: ReadonlyMap<Verdict | WriteNote, number>;
}

const lost: Applied = { result: 'lost', endpoints: [], verdicts: new Map() };

/** Rolls the transaction back, with the revisions that it drew. */
class LostWindows extends Error {
  override readonly name = 'LostWindows';
  constructor(readonly places: ReadonlySet<number>) {
    super('Some windows are not ours any more');
  }
}

/** Somebody who did not take {@link lockPeople} wrote a row beside us. As if the database had said so: the transaction runs again. */
class WrittenBeside extends Error {
  override readonly name = 'WrittenBeside';
  readonly code = '40001';
}

/**
 * Writes what reads of one environment showed, and ends their windows, all in one transaction: rows change, revisions are drawn, events and
 * their deliveries are written, windows end. Where nothing changed, none of that happens but the last. No two reads may show the same row.
 * @returns at the places of the reads.
 */
export async function applyWindows(pool: Database['pool'], reads: readonly ReadToApply[]): Promise<Applied[]> {
  const results = reads.map(() => lost);
  let places = reads.map((_, place) => place);
  while (places.length > 0) {
    const alive = places.map((place) => reads[place] as ReadToApply);
    try {
      const applied = await inTransaction(pool, (client) => writeReads(client, alive));
      for (const [at, place] of places.entries()) results[place] = applied[at] as Applied;
      break;
    } catch (error) {
      if (!(error instanceof LostWindows)) throw error;
      places = places.filter((_, at) => !error.places.has(at));
    }
  }
  return results;
}

interface Planned extends ReadToApply {
  readonly plan: ChangePlan;
}

/**
 * In this order, so that nobody waits in a circle: the people, what is held of them, the revision counter, connections and windows, rows. The
 * counter is held from its draw to the commit, and nothing is decided meanwhile.
 */
async function writeReads(client: Sql, reads: readonly ReadToApply[]): Promise<Applied[]> {
  const scope = (reads[0] as ReadToApply).window;
  const people = reads.map(({ seen }) => seen.read.owner);
  // Sent one behind the other: a statement sees what was committed before the one in front of it ended.
  const [, standing] = await Promise.all([lockPeople(client, scope, people), readStanding(client, scope, reads)]);
  const planned = await planReads(client, scope, reads, standing);
  const needed = planned.reduce((sum, { plan }) => sum + revisionsOf(plan), 0);
  const windows = reads.map(({ window }) => window);
  const [first, held] = await Promise.all([needed === 0 ? 0 : drawRevisions(client, scope, needed), holdWindows(client, scope, windows)]);
  if (held.size < reads.length) throw new LostWindows(new Set([...reads.keys()].filter((at) => !held.has(at))));
  const endpoints = await writePlans(client, scope, planned, first);
  let told = false;
  return planned.map(({ plan }): Applied => {
    const changed = revisionsOf(plan) > 0;
    const tells = changed && !told;
    told ||= changed;
    return { result: changed ? 'changed' : 'unchanged', endpoints: tells ? endpoints : [], verdicts: plan.verdicts };
  });
}

async function planReads(client: Sql, scope: Scope, reads: readonly ReadToApply[], standing: readonly HeldRows[]): Promise<Planned[]> {
  const created: { readonly of: number; readonly at: number }[] = [];
  for (let of = 0; of < reads.length; of += 1) {
    const { window, seen } = reads[of] as ReadToApply;
    if (window.windowKind === 'object') continue;
    for (let at = 0; at < seen.rows.length; at += 1) if (standing[of]?.seen[at] === undefined) created.push({ of, at });
  }
  // A read of many days that began before a document was read by itself knows nothing new of it, though no row may show that.
  const newer = await findNewerReads(
    client,
    scope,
    created.map(({ of, at }) => {
      const { window, seen } = reads[of] as ReadToApply;
      const document = (seen.rows[at] as SeenRows['rows'][number]).row.providerRecordId;
      return { connectionId: window.connectionId, collection: window.collection, document, readVersion: seen.read.readVersion };
    }),
  );
  const oldNews = reads.map(() => new Set<number>());
  for (const place of newer) {
    const { of, at } = created[place] as (typeof created)[number];
    oldNews[of]?.add(at);
  }
  return reads.map((read, of) => ({ ...read, plan: planChanges(read.seen, standing[of] as (typeof standing)[number], oldNews[of]) }));
}

interface NumberedChange extends RowChange, ChangeNumber {
  readonly of: Planned;
}

interface NumberedRemoval extends ChangeNumber {
  readonly of: Planned;
  readonly removal: RowRemoval;
}

/**
 * Events are made while the rows are written: others wait for the counter meanwhile.
 * @returns endpoints that are owed something.
 */
async function writePlans(client: Sql, scope: Scope, planned: readonly Planned[], first: number): Promise<string[]> {
  const { changes, removals } = numberAll(planned, first);
  const before = await samplesBefore(client, scope, changes);
  const writing = writeRows(client, scope, planned, { changes, removals });
  const event = ({ window }: Planned, { type, revision, provider, metric, data }: EventContent): NewEvent => {
    return { id: newId('evt'), type, revision, userId: window.userId, provider, metric, data };
  };
  const making = Promise.resolve().then(() =>
    changes.map((one) => event(one.of, recordUpdated(one.of.window, one, before.get(one.revision)))),
  );
  const [sources, events] = await Promise.all([writing, making]);
  for (const one of removals)
    events.push(event(one.of, recordDeleted(one.of.window, one.removal, one, sources.get(one.revision) as Source)));
  const [endpoints] = await Promise.all([insertEvents(client, scope, events), endWindows(client, scope, planned)]);
  return endpoints;
}

/** @returns whose sources the rows were of that go, by their revisions. */
async function writeRows(
  client: Sql,
  scope: Scope,
  planned: readonly Planned[],
  { changes, removals }: { changes: readonly NumberedChange[]; removals: readonly NumberedRemoval[] },
): Promise<ReadonlyMap<number, Source>> {
  const sources = new Map<number, Source>();
  const touches = planned.some(({ plan }) => plan.touched.length > 0);
  for (const table of recordTables) {
    const created: NumberedChange[] = [];
    const others: NumberedChange[] = [];
    for (const one of changes) if (one.row.table === table.name) (one.change === 'created' ? created : others).push(one);
    const gone = removals.filter(({ removal }) => removal.table === table.name);
    const removed = gone.map(({ of, removal, revision }) => ({ ...removal, owner: of.seen.read.owner, revision }));
    const touched = touches ? touchedOf(planned, table) : [];
    expect(await upsertRows(client, table, scope, created), created.length);
    expect(await replaceRows(client, table, scope, others), others.length);
    for (const [revision, source] of await removeRows(client, table, scope, removed)) sources.set(revision, source);
    expect(await touchRows(client, table, scope, touched), touched.length);
  }
  expect(sources.size, removals.length);
  return sources;
}

function expect(written: number, given: number): void {
  if (written < given) throw new WrittenBeside('A row was written by somebody else since it was read');
}

function touchedOf(planned: readonly Planned[], table: RecordTable): Owned<Touched>[] {
  return planned.flatMap(({ plan, seen }) =>
    plan.touched.filter((row) => row.table === table.name).map((row) => ({ ...row, owner: seen.read.owner })),
  );
}

/** Numbers in a row; both halves of a change of key get one id. */
function numberAll(planned: readonly Planned[], first: number): { changes: NumberedChange[]; removals: NumberedRemoval[] } {
  let next = first;
  const ids = new Map<string, string>();
  const idOf = (to: string): string => ids.get(to) ?? (ids.set(to, newId('chg')).get(to) as string);
  const changes: NumberedChange[] = [];
  const removals: NumberedRemoval[] = [];
  for (const of of planned) {
    for (const { change, row, state, previousLocalDate, supersedes } of of.plan.changes) {
      const changeId = supersedes && idOf(rowName(row));
      changes.push({ of, change, row, state, previousLocalDate, supersedes, revision: next++, changeId });
    }
    for (const removal of of.plan.removed) {
      const { supersededBy } = removal;
      removals.push({ of, removal, revision: next++, changeId: supersededBy && idOf(rowName(supersededBy)) });
    }
  }
  return { changes, removals };
}

/** What series held that are about to change, by their new revisions: their events say from where to where. */
async function samplesBefore(client: Sql, scope: Scope, changes: readonly NumberedChange[]): Promise<ReadonlyMap<number, Samples>> {
  const updated = changes.filter(({ change, row }) => row.table === 'series_day' && change !== 'created');
  const samples = await readSamples(
    client,
    scope,
    updated.map(({ row }) => row),
  );
  return new Map(updated.flatMap(({ revision }, at) => (samples[at] === undefined ? [] : [[revision, samples[at]]])));
}

/** Doubts are answered by further reads, but for what nobody can be asked again, and what a person must look at first. */
async function endWindows(client: Sql, scope: Scope, planned: readonly Planned[]): Promise<void> {
  const settlements: Settlement[] = [];
  const wishes: SettlingWindow[] = [];
  for (const { window, seen, letter, plan } of planned) {
    const { read } = seen;
    const settling: Settling = read.via === 'pull' ? settlingWindows(window, plan.wishes, read.fresh.to) : { again: undefined, days: [] };
    if (read.complete) wishes.push(...settling.days);
    const { requestedVersion: coveredVersion } = window;
    if (letter === undefined) settlements.push({ window, coveredVersion, readVersion: read.readVersion, againAt: settling.again });
  }
  if (settlements.length > 0) await settleWindows(client, scope, settlements);
  for (const { window, letter } of planned) if (letter !== undefined) await buryWindow(client, window, letter);
  await planSettling(client, scope, eachOnce(wishes));
  for (const { also } of planned) await also?.(client);
}

/** Two reads of a batch may wish for the same day. */
function eachOnce(wishes: readonly SettlingWindow[]): SettlingWindow[] {
  const first = new Map<string, SettlingWindow>();
  for (const wish of wishes) {
    const { connectionId, collection, windowStart } = wish.window;
    const name = `${connectionId} ${collection} ${windowStart}`;
    const other = first.get(name);
    if (other === undefined || wish.notBefore < other.notBefore) first.set(name, wish);
  }
  return [...first.values()];
}
