import { type Change, type Verdict, supersede } from '@tributary/domain';
import type { Confirmation, DailyKey, DailyRow, HeldDaily, HeldSession, SessionKey, SessionRow } from '@tributary/storage';
import type { SeenRows } from './seen-rows.js';

/** How the rows stand that a read may touch. */
export interface HeldRows {
  /** By key, of the rows that were seen. */
  readonly daily: readonly HeldDaily[];
  readonly sessions: readonly HeldSession[];
  /** Rows of the documents that are gone. */
  readonly goneDaily: readonly HeldDaily[];
  readonly goneSessions: readonly HeldSession[];
}

export interface DailyChange {
  readonly change: Change;
  readonly row: DailyRow;
}

export interface SessionChange {
  readonly change: Change;
  readonly row: SessionRow;
  /** The date it had, when it moved. */
  readonly previousLocalDate: string | undefined;
}

export interface ChangePlan {
  readonly daily: DailyChange[];
  readonly sessions: SessionChange[];
  readonly removedDaily: HeldDaily[];
  readonly removedSessions: HeldSession[];
  readonly confirmedDaily: Confirmation<DailyKey>[];
  readonly confirmedSessions: Confirmation<SessionKey>[];
  /** How often the gate said what. */
  readonly verdicts: Map<Verdict, number>;
}

/** Asks the version gate about every row that was seen. Nothing is written here, and nothing read. */
export function planChanges(seen: SeenRows, held: HeldRows): ChangePlan {
  const plan: ChangePlan = {
    daily: [],
    sessions: [],
    removedDaily: [],
    removedSessions: [],
    confirmedDaily: [],
    confirmedSessions: [],
    verdicts: new Map(),
  };
  const heldDaily = new Map(held.daily.map((row) => [dailyName(row), row]));
  for (const row of seen.daily) {
    const verdict = judge(plan, heldDaily.get(dailyName(row)), row);
    if (isChange(verdict)) plan.daily.push({ change: verdict, row });
    else if (verdict === 'confirmed') plan.confirmedDaily.push(row);
  }
  const heldSessions = new Map(held.sessions.map((row) => [sessionName(row), row]));
  for (const row of seen.sessions) {
    const before = heldSessions.get(sessionName(row));
    const verdict = judge(plan, before, row);
    const moved = before !== undefined && !before.deleted && before.localDate !== row.localDate;
    if (isChange(verdict)) plan.sessions.push({ change: verdict, row, previousLocalDate: moved ? before.localDate : undefined });
    else if (verdict === 'confirmed') plan.confirmedSessions.push(row);
  }
  const absent = { version: seen.readVersion, contentHash: undefined, inferred: true };
  for (const row of held.goneDaily) {
    const verdict = judge(plan, row, absent);
    if (verdict === 'removed') plan.removedDaily.push(row);
    else if (verdict === 'confirmed') plan.confirmedDaily.push({ ...row, ...absent });
  }
  for (const row of held.goneSessions) {
    const verdict = judge(plan, row, absent);
    if (verdict === 'removed') plan.removedSessions.push(row);
    else if (verdict === 'confirmed') plan.confirmedSessions.push({ ...row, ...absent });
  }
  return plan;
}

/** How many revisions a plan needs: one for each change. */
export function revisionsOf(plan: ChangePlan): number {
  return plan.daily.length + plan.sessions.length + plan.removedDaily.length + plan.removedSessions.length;
}

function judge(
  plan: ChangePlan,
  held: HeldDaily | HeldSession | undefined,
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

export function dailyName({ metric, localDate, sourceId }: DailyKey): string {
  return `${metric} ${localDate} ${sourceId}`;
}

export function sessionName({ kind, sourceId, recordId }: SessionKey): string {
  return `${kind} ${sourceId} ${recordId}`;
}
