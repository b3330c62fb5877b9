import { createHash } from 'node:crypto';
import {
  type HealthRecord,
  type StoredRecord,
  type Version,
  bloodPressureParts,
  dailyMetrics,
  measurementMetrics,
  rangeOfRecord,
  recordContent,
  roundRecord,
  seriesMetrics,
} from '@tributary/domain';
import { type RecordRow, rowName } from '@tributary/storage';

/** What one read showed, as rows. */
export interface SeenRows {
  readonly rows: readonly RecordRow[];
  /** Documents that the provider says are no more. */
  readonly gone: readonly string[];
  /** Start of the read: what `gone` is judged by, and what stands in for a version that the provider does not give. */
  readonly readVersion: Version;
}

/** @param readVersion microseconds since the epoch. @param collection of which they were read. */
export function seenRows(records: readonly HealthRecord[], readVersion: Version, collection?: string): SeenRows {
  // A key that came twice in one read counts once, as it came last.
  const rows = new Map<string, RecordRow>();
  const gone = new Set<string>();
  for (const record of records) {
    if (record.kind === 'deleted') gone.add(record.providerRecordId);
    else {
      const row = { ...rowOf(roundRecord(record), readVersion), collection };
      rows.set(rowName(row), row);
    }
  }
  return { rows: [...rows.values()], gone: [...gone], readVersion };
}

/** One document, and the provider answered that it does not exist. */
export function seenGone(document: string, readVersion: Version): SeenRows {
  return { rows: [], gone: [document], readVersion };
}

function rowOf(record: StoredRecord, readVersion: Version): RecordRow {
  const datum = datumOf(record, readVersion);
  const implausible = rangeOfRecord(record).range !== 'plausible';
  switch (record.kind) {
    case 'daily': {
      const { metric, value } = record;
      return { table: 'daily_rollup', ...datum, metric, value, unit: dailyMetrics[metric].unit, implausible };
    }
    case 'sleep':
      return { table: 'session_record', ...datum, ...times(record), kind: 'sleep', detail: record.detail };
    case 'workout':
      return { table: 'session_record', ...datum, ...times(record), kind: 'workout', detail: record.detail };
    case 'measurement': {
      const { metric, recordId, value, parts, manual, ambiguous, undated = false } = record;
      const { unit } = metric === 'blood_pressure' ? bloodPressureParts.systolic : measurementMetrics[metric];
      const content = { value, parts, unit, implausible, manual, ambiguous, undated };
      return { table: 'measurement_record', ...datum, metric, recordId, measuredAt: record.instant, ...content };
    }
    case 'series': {
      const { metric, workoutId, samples } = record;
      const item = workoutId ?? record.localDate;
      return { table: 'series_day', ...datum, metric, item, workoutId, samples, unit: seriesMetrics[metric].unit, implausible };
    }
  }
}

function times({ providerRecordId, start, end, endUtcOffsetS }: Extract<StoredRecord, { kind: 'sleep' | 'workout' }>) {
  return { recordId: providerRecordId, startedAt: start, endedAt: end, endUtcOffsetS };
}

function datumOf(record: StoredRecord, readVersion: Version) {
  return {
    sourceId: record.source.id,
    localDate: record.localDate,
    providerRecordId: record.providerRecordId,
    source: record.source,
    dateBasis: record.dateBasis,
    dayModel: record.dayModel,
    utcOffsetS: record.utcOffsetS,
    timeZone: record.timeZone,
    tzdb: record.tzdb,
    providerDate: record.providerDate,
    datedAt: record.datedAt,
    coverage: record.coverage,
    provisional: record.provisional,
    version: record.version ?? readVersion,
    inferred: record.version === undefined,
    contentHash: createHash('sha256').update(recordContent(record)).digest(),
  };
}
