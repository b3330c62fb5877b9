import { type SessionSpan, isSameSession } from '@tributary/domain';
import type { Provider } from '@tributary/providers';
import {
  type ClaimedWindow,
  type HeldSession,
  type RecordKey,
  type Sql,
  findMovedDaily,
  findOverlappingSessions,
  rowName,
} from '@tributary/storage';
import type { SeenRow, SeenRows } from './seen-rows.js';

/**
 * What of a read is known to us under another key (contract §5.6): a night or cycle whose day moved takes its daily values along; a session
 * of a provider that gives it a new id at every edit is the one that it shares more than half of its time with. Each leaves its old key in
 * the transaction that writes the new one. What we hold from after this read is left alone: then it is the read that is old.
 */
export async function withRekeyed(sql: Sql, window: ClaimedWindow, provider: Provider | undefined, seen: SeenRows): Promise<SeenRows> {
  const unstable = provider?.collections[window.collection]?.unstableIds === true;
  const merged = unstable ? mergeTwins(seen.rows) : { rows: seen.rows, dropped: [] };
  const shown = new Set(merged.rows.map(({ name }) => name));
  const moved = await movedDays(sql, window, merged.rows);
  const sessions = unstable ? await sameSessions(sql, window, merged.rows, seen) : { rekeyed: [], stale: new Set<string>() };
  const rows = merged.rows.filter(({ name }) => !sessions.stale.has(name));
  const rekeyed = [...merged.dropped, ...moved, ...sessions.rekeyed].filter(
    ({ fromName, to }) => !shown.has(fromName) && rows.includes(to),
  );
  if (rekeyed.length === 0 && rows.length === seen.rows.length) return seen;
  return { ...seen, rows, rekeyed: [...(seen.rekeyed ?? []), ...rekeyed.map(({ from, to }) => ({ from, to: to.row }))] };
}

interface Rekeyed {
  readonly from: RecordKey;
  readonly fromName: string;
  readonly to: SeenRow;
}

/** Only days that are made of a night or a cycle: of a civil day one document may tell today's value every day anew. */
async function movedDays(sql: Sql, window: ClaimedWindow, rows: readonly SeenRow[]): Promise<Rekeyed[]> {
  const daily = rows.flatMap((seen) => {
    const { row } = seen;
    if (row.table !== 'daily_rollup' || row.dayModel === 'civil') return [];
    const { metric, sourceId, localDate, providerRecordId } = row;
    return [{ metric, sourceId, localDate, providerRecordId, seen }];
  });
  const moved = await findMovedDaily(sql, window, daily);
  return moved.flatMap(({ from, at, freshTo }) => {
    const to = daily[at]?.seen;
    return to === undefined || to.observation.fresh.from <= freshTo ? [] : [{ from, fromName: rowName(from), to }];
  });
}

/** Edges of one beginning, told twice. */
const SAME_START_MS = 300_000;
/** A night that was judged anew may be a little shorter than it was; what is much shorter is a part of it. */
const PART = 0.75;

/**
 * Whether of two states of one session the one that came later is the later state. It grows from its beginning, so of two that begin
 * together the longer one is; one that begins elsewhere was judged anew, and is, unless it is but a part.
 */
function supersedes(later: Pick<HeldSession, 'startedAt' | 'endedAt'>, earlier: Pick<HeldSession, 'startedAt' | 'endedAt'>): boolean {
  const grows = Math.abs(Date.parse(later.startedAt) - Date.parse(earlier.startedAt)) <= SAME_START_MS;
  return lengthOf(later) >= lengthOf(earlier) * (grows ? 1 : PART);
}

/** Several states of one night in one read: the latest of them is the night, the others were it. */
function mergeTwins(rows: readonly SeenRow[]): { readonly rows: readonly SeenRow[]; readonly dropped: readonly Rekeyed[] } {
  const nights: { night: SeenSession; readonly others: SeenSession[] }[] = [];
  for (const session of rows.filter(isSession)) {
    const twins = nights.find(({ night }) => night.row.kind === session.row.kind && isSameSession(spanOf(night.row), spanOf(session.row)));
    if (twins === undefined) nights.push({ night: session, others: [] });
    else if (supersedes(session.row, twins.night.row)) {
      twins.others.push(twins.night);
      twins.night = session;
    } else twins.others.push(session);
  }
  const dropped = nights.flatMap(({ night, others }) => others.map(({ row, name }) => ({ from: keyOf(row), fromName: name, to: night })));
  const gone = new Set(dropped.map(({ fromName }) => fromName));
  return { rows: rows.filter(({ name }) => !gone.has(name)), dropped };
}

/**
 * Sessions that we hold and that were edited into one of these. A whole answer of the provider that is newer than they are is the truth; of
 * what was pushed nobody knows when it was true, and its states tell.
 */
async function sameSessions(sql: Sql, window: ClaimedWindow, rows: readonly SeenRow[], { read }: SeenRows) {
  const sessions = rows.filter(isSession);
  const held = await findOverlappingSessions(
    sql,
    window,
    sessions.map(({ row }) => row),
  );
  const rekeyed: Rekeyed[] = [];
  const stale = new Set<string>();
  for (const session of sessions) {
    for (const other of held) {
      if (other.kind !== session.row.kind || !isSameSession(spanOf(other), spanOf(session.row))) continue;
      const newer = session.observation.fresh.from > other.freshTo;
      const later = supersedes(session.row, other);
      if (read.via === 'push' ? later : newer && (read.complete || later)) {
        rekeyed.push({ from: keyOf(other), fromName: rowName(keyOf(other)), to: session });
      } else stale.add(session.name);
    }
  }
  return { rekeyed, stale };
}

type SeenSession = SeenRow & { readonly row: Extract<SeenRow['row'], { table: 'session_record' }> };

function isSession(seen: SeenRow): seen is SeenSession {
  return seen.row.table === 'session_record';
}

function spanOf({ sourceId, startedAt, endedAt }: Pick<HeldSession, 'sourceId' | 'startedAt' | 'endedAt'>): SessionSpan {
  return { sourceId, start: Date.parse(startedAt), end: Date.parse(endedAt) };
}

function lengthOf({ startedAt, endedAt }: Pick<HeldSession, 'startedAt' | 'endedAt'>): number {
  return Date.parse(endedAt) - Date.parse(startedAt);
}

function keyOf({ kind, sourceId, recordId, localDate }: Omit<HeldSession, 'startedAt' | 'endedAt' | 'freshTo'>): RecordKey {
  return { table: 'session_record', kind, sourceId, recordId, localDate };
}
