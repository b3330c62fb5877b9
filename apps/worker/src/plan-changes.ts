import { type Change, type Verdict, supersede } from '@tributary/domain';
import { type Confirmation, type HeldRow, type RecordRow, rowName } from '@tributary/storage';
import type { SeenRows } from './seen-rows.js';

/** How the rows stand that a read may touch. */
export interface HeldRows {
  /** By key, of the rows that were seen. */
  readonly seen: readonly HeldRow[];
  /** Rows of the documents that are gone. */
  readonly gone: readonly HeldRow[];
}

export interface RowChange<Row extends RecordRow = RecordRow> {
  readonly change: Change;
  readonly row: Row;
  /** The date it had, when it moved. */
  readonly previousLocalDate: string | undefined;
}

export interface ChangePlan {
  readonly changes: RowChange[];
  readonly removed: HeldRow[];
  readonly confirmed: Confirmation[];
  /** How often the gate said what. */
  readonly verdicts: Map<Verdict, number>;
}

/** Asks the version gate about every row that was seen. Nothing is written here, and nothing read. */
export function planChanges(seen: SeenRows, held: HeldRows): ChangePlan {
  const plan: ChangePlan = { changes: [], removed: [], confirmed: [], verdicts: new Map() };
  const heldByName = new Map(held.seen.map((row) => [rowName(row), row]));
  for (const row of seen.rows) {
    const before = heldByName.get(rowName(row));
    const verdict = judge(plan, before, row);
    const moved = before !== undefined && !before.deleted && before.localDate !== row.localDate;
    if (isChange(verdict)) plan.changes.push({ change: verdict, row, previousLocalDate: moved ? before.localDate : undefined });
    else if (verdict === 'confirmed') plan.confirmed.push(row);
  }
  const absent = { version: seen.readVersion, contentHash: undefined, inferred: true };
  for (const row of held.gone) {
    const verdict = judge(plan, row, absent);
    if (verdict === 'removed') plan.removed.push(row);
    else if (verdict === 'confirmed') plan.confirmed.push({ ...row, ...absent });
  }
  return plan;
}

/** How many revisions a plan needs: one for each change. */
export function revisionsOf(plan: ChangePlan): number {
  return plan.changes.length + plan.removed.length;
}

function judge(
  plan: ChangePlan,
  held: HeldRow | undefined,
  seen: { readonly version: number; readonly contentHash: Buffer | undefined },
): Verdict {
  const verdict = supersede(held && { version: held.version, contentHash: held.contentHash.toString('hex'), deleted: held.deleted }, {
    version: seen.version,
    contentHash: seen.contentHash?.toString('hex'),
  });
  plan.verdicts.set(verdict, (plan.verdicts.get(verdict) ?? 0) + 1);
  return verdict;
}

function isChange(verdict: Verdict): verdict is Change {
  return verdict === 'created' || verdict === 'updated' || verdict === 'restored';
}
