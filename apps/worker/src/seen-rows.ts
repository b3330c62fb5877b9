import { createHash } from 'node:crypto';
import {
  type DailyRecord,
  type HealthRecord,
  type SleepRecord,
  type Version,
  dailyMetrics,
  rangeOf,
  recordContent,
} from '@tributary/domain';
import type { DailyRow, SessionRow } from '@tributary/storage';

/** What one read showed, as rows. */
export interface SeenRows {
  readonly daily: readonly DailyRow[];
  readonly sessions: readonly SessionRow[];
  /** Documents that the provider says are no more. */
  readonly gone: readonly string[];
  /** Start of the read: what `gone` is judged by, and what stands in for a version that the provider does not give. */
  readonly readVersion: Version;
}

/** @param readVersion microseconds since the epoch. */
export function seenRows(records: readonly HealthRecord[], readVersion: Version): SeenRows {
  // A key that came twice in one read counts once, as it came last.
  const daily = new Map<string, DailyRow>();
  const sessions = new Map<string, SessionRow>();
  const gone = new Set<string>();
  for (const record of records) {
    if (record.kind === 'daily') daily.set(`${record.metric} ${record.localDate} ${record.source.id}`, dailyRow(record, readVersion));
    else if (record.kind === 'sleep') sessions.set(`${record.source.id} ${record.providerRecordId}`, sessionRow(record, readVersion));
    else if (record.kind === 'deleted') gone.add(record.providerRecordId);
    else throw new TypeError(`Records of kind ${record.kind} are not stored`);
  }
  return { daily: [...daily.values()], sessions: [...sessions.values()], gone: [...gone], readVersion };
}

/** One document, and the provider answered that it does not exist. */
export function seenGone(document: string, readVersion: Version): SeenRows {
  return { daily: [], sessions: [], gone: [document], readVersion };
}

function dailyRow(record: DailyRecord, readVersion: Version): DailyRow {
  return {
    ...datum(record, readVersion),
    metric: record.metric,
    value: record.value,
    unit: dailyMetrics[record.metric].unit,
    implausible: rangeOf(dailyMetrics[record.metric], record.value) !== 'plausible',
  };
}

function sessionRow(record: SleepRecord, readVersion: Version): SessionRow {
  return {
    ...datum(record, readVersion),
    kind: 'sleep',
    recordId: record.providerRecordId,
    startedAt: record.start,
    endedAt: record.end,
    endUtcOffsetS: record.endUtcOffsetS,
    detail: record.detail,
  };
}

function datum(record: DailyRecord | SleepRecord, readVersion: Version) {
  return {
    sourceId: record.source.id,
    localDate: record.localDate,
    providerRecordId: record.providerRecordId,
    source: record.source,
    dateBasis: record.dateBasis,
    dayModel: record.dayModel,
    utcOffsetS: record.utcOffsetS,
    provisional: record.provisional,
    version: record.version ?? readVersion,
    inferred: record.version === undefined,
    contentHash: createHash('sha256').update(recordContent(record)).digest(),
  };
}
