import { type Change, type Decision, type HeldState, type SettlingPull, type WriteNote, decide, withdraw } from '@tributary/domain';
import {
  type HeldRow,
  type Owned,
  type RecordKey,
  type RecordRow,
  type Removed,
  type Standing,
  type Touched,
  rowName,
} from '@tributary/storage';
import { type SeenRow, type SeenRows, nothingSeen } from './seen-rows.js';

/** How the rows stand that a read may touch. */
export interface HeldRows {
  /** At the places of the rows that were seen. */
  readonly seen: readonly (Standing | undefined)[];
  /** Rows of the documents that are gone. */
  readonly gone: readonly HeldRow[];
  /** At the places of `absent` and of `rekeyed`. */
  readonly absent: readonly (Standing | undefined)[];
  readonly rekeyed: readonly (Standing | undefined)[];
}

export interface RowChange<Row extends RecordRow = RecordRow> {
  readonly change: Change;
  readonly row: Owned<Row>;
  readonly state: HeldState;
  /** The date it had, when it moved. */
  readonly previousLocalDate: string | undefined;
  /** The key that it had, when that changed. */
  readonly supersedes: RecordKey | undefined;
}

export interface RowRemoval extends Removed {
  readonly state: HeldState;
  readonly supersededBy: RecordKey | undefined;
}

/** A wish for one more read, and of which date. */
export interface SettlingWish extends SettlingPull {
  readonly localDate: string;
}

/** What the gate said of a row, in the words of the metric. */
export type Verdict =
  | Change
  | 'removed'
  | 'same'
  | 'stale'
  | 'unordered'
  | 'to_be_settled'
  | 'old_normalizer'
  | 'incomplete'
  | 'to_confirm'
  | 'flapping'
  | 'quarantined';

export interface ChangePlan {
  readonly changes: RowChange[];
  readonly removed: RowRemoval[];
  /** Rows whose content stays. */
  readonly touched: Touched[];
  readonly wishes: SettlingWish[];
  /** Rows whose value goes to and fro: told to nobody until it rests. */
  readonly flapping: RecordKey[];
  /** How often the gate said what. */
  readonly verdicts: Map<Verdict | WriteNote, number>;
}

/**
 * Asks the version gate about every row that a read is about. Nothing is written here, and nothing read.
 * @param oldNews places of rows of which something newer was read, though nothing is held.
 */
export function planChanges(seen: SeenRows, held: HeldRows, oldNews: ReadonlySet<number> = new Set()): ChangePlan {
  const plan: ChangePlan = { changes: [], removed: [], touched: [], wishes: [], flapping: [], verdicts: new Map() };
  const moves = new Map((seen.rekeyed ?? []).map(({ from, to }) => [rowName(to), from]));
  // By places and not by `entries()`, here and below: what is made for each record and thrown away is a third of what a record costs.
  for (let at = 0; at < seen.rows.length; at += 1) {
    const { row, name, observation } = seen.rows[at] as SeenRow;
    if (oldNews.has(at)) {
      count(plan, 'stale');
      continue;
    }
    const before = held.seen[at];
    const decision = decide(before?.state, observation);
    note(plan, decision, row);
    if (decision.do === 'write') {
      const moved = before !== undefined && !before.state.deleted && before.localDate !== row.localDate;
      const previousLocalDate = moved ? before.localDate : undefined;
      plan.changes.push({ change: decision.change, row, state: decision.next, previousLocalDate, supersedes: moves.get(name) });
    } else if (decision.next !== undefined && decision.next !== before?.state) {
      plan.touched.push({ ...keyOf(row), state: decision.next, providerRecordId: row.providerRecordId, collection: row.collection });
    }
  }
  planRemovals(plan, seen, held);
  return plan;
}

/** How many revisions a plan needs: one for each change. */
export function revisionsOf(plan: ChangePlan): number {
  return plan.changes.length + plan.removed.length;
}

function planRemovals(plan: ChangePlan, seen: SeenRows, held: HeldRows): void {
  const { absent = [], rekeyed = [], read } = seen;
  if (held.gone.length + absent.length + rekeyed.length === 0) return;
  // What the read shows is there, whatever else is said of it; and nothing goes twice.
  const spoken = new Set(seen.rows.map(({ name }) => name));
  const nothing = nothingSeen(read);
  const remove = (row: HeldRow, reason: Removed['reason'], supersededBy?: RecordKey) => {
    const name = rowName(row);
    if (spoken.has(name)) return;
    spoken.add(name);
    const ours = reason === 'rekeyed' || reason === 'permission_revoked';
    const decision = ours ? withdraw(row.state, nothing) : decide(row.state, nothing);
    note(plan, decision, row);
    const { state, providerRecordId } = row;
    if (decision.do === 'remove') plan.removed.push({ ...keyOf(row), reason, state: decision.next, supersededBy });
    else if (decision.next !== undefined && decision.next !== state) {
      plan.touched.push({ ...keyOf(row), state: decision.next, providerRecordId, collection: undefined });
    }
  };
  for (const row of held.gone) remove(row, 'provider_deleted');
  for (const [at, { row, reason }] of absent.entries()) {
    const standing = held.absent[at];
    if (standing !== undefined) remove({ ...row, ...standing }, reason);
  }
  // A key is left only for one that is there: where the gate keeps the new one out, this read is the one that is old.
  const there = new Set([...plan.changes.map(({ row }) => row), ...plan.touched.filter(({ state }) => !state.deleted)].map(rowName));
  for (const [at, { from, to }] of rekeyed.entries()) {
    const standing = held.rekeyed[at];
    if (standing !== undefined && there.has(rowName(to))) remove({ ...from, ...standing }, 'rekeyed', to);
  }
}

function note(plan: ChangePlan, decision: Decision, row: RecordKey): void {
  count(plan, verdictOf(decision));
  if ('note' in decision && decision.note !== undefined) count(plan, decision.note);
  if (decision.do === 'hold') plan.flapping.push(keyOf(row));
  if (decision.settle !== undefined) plan.wishes.push({ localDate: row.localDate, notBefore: decision.settle.notBefore });
}

function verdictOf(decision: Decision): Verdict {
  switch (decision.do) {
    case 'write':
      return decision.change;
    case 'remove':
      return 'removed';
    case 'keep':
      return 'same';
    case 'drop':
      return decision.why;
    case 'confirm':
      return 'to_confirm';
    case 'hold':
      return 'flapping';
    case 'quarantine':
      return 'quarantined';
  }
}

function count(plan: ChangePlan, verdict: Verdict | WriteNote): void {
  plan.verdicts.set(verdict, (plan.verdicts.get(verdict) ?? 0) + 1);
}

function keyOf({ table, sourceId, localDate, metric, kind, recordId, item }: RecordKey): RecordKey {
  return { table, sourceId, localDate, metric, kind, recordId, item };
}
