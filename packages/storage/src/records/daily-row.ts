import type { DailyMetric, DateBasis, DayModel, DeleteReason, Scope, Source, Version } from '@tributary/domain';

/** Whose records a statement is about. */
export interface RecordOwner extends Scope {
  readonly userId: string;
  readonly connectionId: string;
  readonly provider: string;
}

/** What every stored record has. */
export interface StoredDatum {
  readonly sourceId: string;
  readonly localDate: string;
  readonly providerRecordId: string;
  readonly source: Source;
  readonly dateBasis: DateBasis;
  readonly dayModel: DayModel;
  readonly utcOffsetS: number | undefined;
  readonly provisional: boolean;
  readonly version: Version;
  readonly inferred: boolean;
  readonly contentHash: Buffer;
}

export interface DailyRow extends StoredDatum {
  readonly metric: DailyMetric;
  readonly value: number;
  readonly unit: string;
  readonly implausible: boolean;
}

/** Names a daily row among those of one owner. */
export type DailyKey = Pick<DailyRow, 'metric' | 'localDate' | 'sourceId'>;

/** How a row stands, for the version gate. */
export interface HeldDaily extends DailyKey {
  readonly version: Version;
  readonly contentHash: Buffer;
  readonly deleted: boolean;
  readonly providerRecordId: string;
  readonly source: Source;
}

export type Revised<T> = T & { readonly revision: number };

/** A row that goes: what it was, and the version that says so. */
export interface Removal {
  readonly version: Version;
  readonly inferred: boolean;
  readonly reason: DeleteReason;
}

/** One order for every batch, so that two transactions lock rows in the same one. */
export function byDailyKey(a: DailyKey, b: DailyKey): number {
  return compare(a.metric, b.metric) || compare(a.localDate, b.localDate) || compare(a.sourceId, b.sourceId);
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
