import { createHash } from 'node:crypto';
import {
  type CivilDate,
  type DateClues,
  type StoredRecord,
  type Whereabouts,
  closesAt,
  isProvisional,
  providerDay,
  recordContent,
  redated,
  sleepDate,
  workoutDate,
} from '@tributary/domain';
import type { StoredRow } from '@tributary/storage';

/** A row of which more is known now: as it stood, and as it is to stand. */
export interface Redated {
  readonly before: StoredRow;
  readonly after: StoredRow;
}

/**
 * What becomes of a row once more is known of where the person was (contract §4.2). Only dates that rest on the customer's word or on
 * nothing move.
 * @returns undefined when it stays as it is, or when nothing is kept that its date could be computed from.
 */
export function redateRow(
  before: StoredRow,
  whereabouts: Whereabouts,
  { provider, now }: { provider: string; now: number },
): Redated | undefined {
  const at = instantOf(before);
  if (at === undefined) return undefined;
  // On this ground the record itself told neither date, offset nor zone.
  const clues: DateClues = { label: undefined, labelShift: 0, at, offsetS: undefined, zone: undefined };
  const held: CivilDate = {
    localDate: before.localDate,
    dateBasis: before.dateBasis,
    providerDate: before.providerDate,
    utcOffsetS: before.utcOffsetS,
    timeZone: before.timeZone,
    tzdb: before.tzdb,
    provisional: before.provisional,
    anomalies: [],
  };
  const date = redated(held, clues, whereabouts);
  if (date === undefined) return undefined;
  const { localDate, dateBasis, timeZone, tzdb } = date;
  const { startsAtH } = providerDay(provider, before.collection ?? '', []);
  const standing = { closesAt: closesAt(localDate, timeZone, startsAtH), providerSays: undefined, end: at, placeUnknown: date.provisional };
  const dated = {
    ...before,
    ...offsetsOf(before, date, whereabouts),
    localDate,
    dateBasis,
    timeZone,
    tzdb,
    // One that nobody knew the place of was provisional for that alone; what else the provider said of it, the next read says.
    provisional: before.dateBasis === 'utc_assumed' ? isProvisional(standing, now) : before.provisional,
    state: { ...before.state, version: before.state.version + 1, inferred: true },
  } as StoredRow;
  const contentHash = createHash('sha256')
    .update(recordContent(recordOf(dated)))
    .digest();
  return { before, after: { ...dated, contentHash, state: { ...dated.state, contentHash: contentHash.toString('hex') } } };
}

/** The instant that decides the day, epoch milliseconds. */
function instantOf(row: StoredRow): number | undefined {
  switch (row.table) {
    case 'daily_rollup':
      return row.datedAt;
    case 'session_record':
      return Date.parse(row.kind === 'sleep' ? row.endedAt : row.startedAt);
    case 'measurement_record':
      return Date.parse(row.measuredAt);
    case 'series_day':
      // Its samples are cut by the day: it must be read anew.
      return undefined;
  }
}

function offsetsOf(row: StoredRow, date: CivilDate, whereabouts: Whereabouts) {
  if (row.table !== 'session_record') return { utcOffsetS: date.utcOffsetS };
  const session = {
    label: undefined,
    labelShift: 0,
    start: Date.parse(row.startedAt),
    end: Date.parse(row.endedAt),
    startOffsetS: undefined,
    endOffsetS: undefined,
    zone: undefined,
  };
  const dated = row.kind === 'sleep' ? sleepDate(session, whereabouts) : workoutDate(session, whereabouts);
  return { utcOffsetS: dated?.utcOffsetS, endUtcOffsetS: dated?.endUtcOffsetS };
}

/** As far as it is content (record-content.ts): a read that shows the same must find the same hash. */
function recordOf(row: StoredRow): StoredRecord {
  switch (row.table) {
    case 'daily_rollup':
      return { ...row, kind: 'daily' } as unknown as StoredRecord;
    case 'session_record':
      return { ...row, start: row.startedAt, end: row.endedAt } as unknown as StoredRecord;
    case 'measurement_record':
      return { ...row, kind: 'measurement', instant: row.measuredAt } as unknown as StoredRecord;
    case 'series_day':
      return { ...row, kind: 'series' } as unknown as StoredRecord;
  }
}
