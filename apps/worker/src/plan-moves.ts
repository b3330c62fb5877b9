import { isWeak, rekey } from '@tributary/domain';
import type { DayTaken, RecordKey, StoredRow } from '@tributary/storage';
import type { Redated } from './redate-row.js';

/** What becomes of daily values whose day moved (contract §5.6): each key that is left is marked, each that is reached is written. */
export interface DailyMoves {
  /** Same key, better ground. */
  readonly stay: readonly StoredRow[];
  /** Copies under new keys. `after` has the version that wins there. */
  readonly arrive: readonly { readonly before: StoredRow; readonly after: StoredRow }[];
  /** Keys that are left and that nobody reaches. */
  readonly leave: readonly { readonly before: StoredRow; readonly to: RecordKey }[];
}

/**
 * All values move at once, since one may go into the place that another leaves. Where two come to one day the newer one counts; and one that
 * knows its day by itself is never displaced by one that was placed there by its zone.
 * @param taken rows of the days that are reached.
 */
export function planMoves(redated: readonly Redated[], taken: readonly DayTaken[]): DailyMoves {
  const movers = redated.filter(({ before, after }) => before.localDate !== after.localDate);
  const left = new Set(movers.map(({ before }) => dayName(before)));
  const standing = new Map(taken.map((row) => [dayName(row), row]));
  const newest = new Map<string, Redated>();
  for (const mover of movers) {
    const rival = newest.get(dayName(mover.after));
    if (rival === undefined || rival.after.state.version < mover.after.state.version) newest.set(dayName(mover.after), mover);
  }
  const arrive: { before: StoredRow; after: StoredRow }[] = [];
  for (const [name, { before, after }] of newest) {
    const there = standing.get(name);
    const free = there === undefined || there.deleted || left.has(name);
    if (!free && (!isWeak(there.dateBasis) || there.version >= after.state.version)) continue;
    const version = Math.max(after.state.version, (there?.version ?? 0) + 1);
    arrive.push({ before, after: { ...after, state: { ...after.state, version } } });
  }
  const reached = new Set(arrive.map(({ after }) => dayName(after)));
  const leave = movers.flatMap(({ before, after }) => {
    const change = rekey<RecordKey>(keyOf(before), keyOf(after));
    return change === undefined || reached.has(dayName(before)) ? [] : [{ before, to: change.upsert.key }];
  });
  return { stay: redated.filter((row) => !movers.includes(row)).map(({ after }) => after), arrive, leave };
}

function keyOf({ table, sourceId, localDate, ...row }: StoredRow): RecordKey {
  return { table, sourceId, localDate, ...('metric' in row && { metric: row.metric }) };
}

function dayName({
  metric,
  sourceId,
  localDate,
}: {
  readonly metric?: string;
  readonly sourceId: string;
  readonly localDate: string;
}): string {
  return JSON.stringify([metric, sourceId, localDate]);
}
