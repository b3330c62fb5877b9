import { hash } from 'node:crypto';
import {
  type DeleteReason,
  type Freshness,
  type HealthRecord,
  type Observation,
  type StoredRecord,
  type Version,
  bloodPressureParts,
  dailyMetrics,
  freshnessOfPush,
  measurementMetrics,
  rangeOfRecord,
  recordContent,
  roundRecord,
  seriesMetrics,
  storableText,
} from '@tributary/domain';
import { type Owned, type RecordKey, type RecordOwner, type RecordRow, rowName } from '@tributary/storage';

/** How a read came about: what all that it shows has in common. */
export interface ReadEvidence {
  /** Start of the read, microseconds since the epoch. */
  readonly readVersion: Version;
  /** When it can have been true; of what was pushed and cannot be dated, from zero. */
  readonly fresh: Freshness;
  readonly via: 'pull' | 'push';
  /** Nothing was left out. Of a push: nobody can be asked for more. */
  readonly complete: boolean;
  /** Whose clock makes the versions. */
  readonly clockDomain: string;
  readonly normalizerVersion: number;
  readonly collection: string;
  readonly owner: RecordOwner;
}

export interface SeenRow {
  readonly row: Owned<RecordRow>;
  readonly name: string;
  readonly observation: Observation;
}

/** What one read showed, as rows. */
export interface SeenRows {
  /** Each key once. */
  readonly rows: readonly SeenRow[];
  /** Documents that the provider says are no more. */
  readonly gone: readonly string[];
  /** Rows that are no more for another reason. That the provider lacks them is weighed as what this read saw; the rest is our own doing. */
  readonly absent?: readonly { readonly row: RecordKey; readonly reason: Exclude<DeleteReason, 'provider_deleted' | 'erased'> }[];
  /** Rows whose key has changed: `from` goes, and `to` is among the rows. */
  readonly rekeyed?: readonly { readonly from: RecordKey; readonly to: RecordKey }[];
  /** Where values stood that no body can have. */
  readonly putAside: readonly string[];
  readonly read: ReadEvidence;
}

export function seenRows(records: readonly HealthRecord[], read: ReadEvidence): SeenRows {
  const rows = new Map<string, SeenRow>();
  const gone = new Set<string>();
  const putAside: string[] = [];
  for (const [index, record] of records.entries()) {
    if (record.kind === 'deleted') {
      gone.add(record.providerRecordId);
      continue;
    }
    const { range, path } = rangeOfRecord(record);
    if (range === 'impossible') putAside.push(`records[${index}].${path} is out of any possible range`);
    const seen = seenRow(storableText(roundRecord(record)), range, read);
    const twin = rows.get(seen.name);
    if (twin === undefined || replaces(seen.observation, twin.observation)) rows.set(seen.name, seen);
  }
  return { rows: [...rows.values()], gone: [...gone], putAside, read };
}

/** One document, and the provider answered that it does not exist. */
export function seenGone(document: string, read: ReadEvidence): SeenRows {
  return { rows: [], gone: [document], putAside: [], read };
}

/** What a read says of a key of which it shows nothing. */
export function nothingSeen({ fresh, via, normalizerVersion }: ReadEvidence): Observation {
  return {
    contentHash: undefined,
    inputHash: undefined,
    normalizerVersion,
    providerVersion: undefined,
    clockDomain: undefined,
    coverageEnd: undefined,
    fresh,
    via,
    // That something is no more is said of it by name, however much else was left out.
    complete: true,
    ingestedAt: fresh.to,
    impossible: false,
  };
}

/** A key that came twice in one read counts once: as it is possible, as it is newest by its version, as it came last. */
function replaces(next: Observation, twin: Observation): boolean {
  if (next.impossible !== twin.impossible) return twin.impossible;
  return next.providerVersion === undefined || twin.providerVersion === undefined || next.providerVersion >= twin.providerVersion;
}

function seenRow(record: StoredRecord, range: 'plausible' | 'implausible' | 'impossible', read: ReadEvidence): SeenRow {
  const contentHash = hash('sha256', recordContent(record), 'hex');
  const datum = datumOf(record, Buffer.from(contentHash, 'hex'), read);
  const row = rowOf(record, datum, range !== 'plausible');
  const { via, complete, normalizerVersion, clockDomain } = read;
  const coverageEnd = record.coverageEnd === undefined ? undefined : Math.round(record.coverageEnd);
  const fresh = via === 'pull' ? read.fresh : pushed(read.fresh, coverageEnd ?? endOf(record));
  const observation: Observation = {
    contentHash,
    inputHash: record.inputHash,
    normalizerVersion,
    providerVersion: record.version,
    clockDomain: record.version === undefined ? undefined : clockDomain,
    coverageEnd,
    fresh,
    via,
    complete,
    ingestedAt: read.fresh.to,
    impossible: range === 'impossible',
  };
  return { row, name: rowName(row), observation };
}

/** As new as what it tells of, and as what is known of when it was told. */
function pushed({ from, to }: Freshness, end: number | undefined): Freshness {
  return { from: Math.max(from, freshnessOfPush(undefined, end, to).from), to };
}

/** The newest instant that a record tells of, where it names one: what was pushed is no older than that. */
function endOf(record: StoredRecord): number | undefined {
  switch (record.kind) {
    case 'daily':
      return undefined;
    case 'sleep':
    case 'workout':
      return Date.parse(record.end);
    case 'measurement':
      return record.undated ? undefined : Date.parse(record.instant);
    case 'series':
      return Date.parse(record.samples.from) + (record.samples.offsetsS.at(-1) ?? 0) * 1000;
  }
}

function rowOf(record: StoredRecord, datum: ReturnType<typeof datumOf>, implausible: boolean): Owned<RecordRow> {
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

function datumOf(record: StoredRecord, contentHash: Buffer, { owner, collection }: ReadEvidence) {
  return {
    owner,
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
    collection,
    contentHash,
  };
}
