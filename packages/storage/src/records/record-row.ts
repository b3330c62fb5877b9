import type {
  BloodPressure,
  DailyMetric,
  DateBasis,
  DayModel,
  DeleteReason,
  HeldState,
  MeasurementMetric,
  Samples,
  SeriesMetric,
  SleepDetail,
  Source,
  WorkoutDetail,
} from '@tributary/domain';

/** Whose a record is, inside an environment. */
export interface RecordOwner {
  readonly userId: string;
  readonly connectionId: string;
  readonly provider: string;
}

/** What a statement for many people's rows needs to know of each of them. */
export type Owned<T> = T & { readonly owner: RecordOwner };

/** What every stored record has. */
export interface StoredDatum {
  readonly sourceId: string;
  readonly localDate: string;
  readonly providerRecordId: string;
  readonly source: Source;
  readonly dateBasis: DateBasis;
  readonly dayModel: DayModel;
  readonly utcOffsetS: number | undefined;
  /** The zone that the date rests on, and the version of the zone data that it was asked of. */
  readonly timeZone?: string | undefined;
  readonly tzdb?: string | undefined;
  /** The provider's own label, where it is another than `localDate`. */
  readonly providerDate?: string | undefined;
  /** The instant that the date was computed from, epoch milliseconds; undefined where a label decided. */
  readonly datedAt?: number | undefined;
  /** The provider's collection that it was read of last. */
  readonly collection?: string | undefined;
  /** Part of the day that was measured, 0 to 1. */
  readonly coverage?: number | undefined;
  readonly provisional: boolean;
  readonly contentHash: Buffer;
}

export interface DailyRow extends StoredDatum {
  readonly table: 'daily_rollup';
  readonly metric: DailyMetric;
  readonly value: number;
  readonly unit: string;
  readonly implausible: boolean;
}

interface Session extends StoredDatum {
  readonly table: 'session_record';
  readonly recordId: string;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly endUtcOffsetS: number | undefined;
}

export type SleepRow = Session & { readonly kind: 'sleep'; readonly detail: SleepDetail };
export type WorkoutRow = Session & { readonly kind: 'workout'; readonly detail: WorkoutDetail };

export interface MeasurementRow extends StoredDatum {
  readonly table: 'measurement_record';
  readonly metric: MeasurementMetric;
  readonly recordId: string;
  /** RFC 3339 UTC. */
  readonly measuredAt: string;
  /** One of both is there. */
  readonly value: number | undefined;
  readonly parts: BloodPressure | undefined;
  readonly unit: string;
  readonly implausible: boolean;
  readonly manual: boolean;
  readonly ambiguous: boolean;
  readonly undated: boolean;
}

export interface SeriesRow extends StoredDatum {
  readonly table: 'series_day';
  readonly metric: SeriesMetric;
  /** The workout that the samples belong to, else their civil date. */
  readonly item: string;
  readonly workoutId: string | undefined;
  readonly samples: Samples;
  readonly unit: string;
  readonly implausible: boolean;
}

export type RecordRow = DailyRow | SleepRow | WorkoutRow | MeasurementRow | SeriesRow;

export type TableName = RecordRow['table'];

/** Names a row among those of one owner; which of these columns are its key is the table's to say. */
export interface RecordKey {
  readonly table: TableName;
  readonly sourceId: string;
  readonly localDate: string;
  readonly metric?: string;
  readonly kind?: 'sleep' | 'workout';
  readonly recordId?: string;
  readonly item?: string;
}

/** How a row stands. */
export interface HeldRow extends RecordKey {
  readonly providerRecordId: string;
  readonly state: HeldState;
}

/** As a row is to stand: its number for customers, and what the gate is to know of it. */
export type Revised<T> = T & { readonly revision: number; readonly state: HeldState };

/** A row that is to be written as it was seen, in the place of what is there. */
export interface RowWrite<Row extends RecordRow = RecordRow> {
  readonly row: Owned<Row>;
  readonly revision: number;
  readonly state: HeldState;
}

/** The same content (or the same absence) as the row's, known better than before. */
export type Touched = RecordKey & { readonly state: HeldState; readonly providerRecordId: string; readonly collection: string | undefined };

/** A row that goes, and why. */
export interface Removed extends RecordKey {
  readonly reason: Exclude<DeleteReason, 'erased'>;
}
