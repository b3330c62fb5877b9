import type { DailyMetric } from './metric.js';

/** Where a civil date came from, most trustworthy first (contract §4.2). */
export type DateBasis = 'provider_date' | 'record_offset' | 'record_zone' | 'profile_zone' | 'fallback_zone' | 'utc_assumed';

/** What the provider calls a day. Oura's activity day runs from 04:00 to 04:00. */
export type DayModel = 'civil' | 'civil_0400' | 'physiological_cycle' | 'night';

/** What measured. `id` is stable over syncs and renames, and is never a serial number or a user-given name. */
export interface Source {
  readonly id: string;
  readonly type: 'watch' | 'phone' | 'ring' | 'band' | 'scale' | 'app' | 'manual' | 'platform_merged' | 'unknown';
  readonly manufacturer: string | undefined;
  readonly model: string | undefined;
  /** Who wrote it, where that is another provider than the road it came by (a Garmin run that arrives through Strava). */
  readonly originProvider?: string | undefined;
}

/** What every kind of record has. */
export interface Dated {
  /** The provider's own id of the document that this came from; a delete notice names nothing else. */
  readonly providerRecordId: string;
  readonly source: Source;
  /** `YYYY-MM-DD`, computed once here and used on every surface. */
  readonly localDate: string;
  readonly dateBasis: DateBasis;
  readonly dayModel: DayModel;
  /** Seconds east of UTC at the start, as the provider gave it. */
  readonly utcOffsetS: number | undefined;
  /** The zone that the date rests on, and the version of the zone data that it was asked of; undefined when none was. */
  readonly timeZone?: string | undefined;
  readonly tzdb?: string | undefined;
  /** The provider's own label, when it is another than `localDate`. */
  readonly providerDate?: string | undefined;
  /** The instant that the date was computed from, epoch milliseconds; undefined where a label decided. Sessions and measurements have theirs. */
  readonly datedAt?: number | undefined;
  /** True while the provider may still change it (a day that runs, a tentative night). */
  readonly provisional: boolean;
  /** The provider's modified time; undefined when it has none, and then the fetch start stands in. */
  readonly version: number | undefined;
  /** End of the last sample that it is made of, epoch milliseconds; undefined when that is not known. */
  readonly coverageEnd?: number | undefined;
  /** Part of the day that was measured (time worn, hours with data), 0 to 1; undefined when the provider does not say. */
  readonly coverage?: number | undefined;
  /** SHA-256 in hex of the provider's document that it was made from: tells a change of ours from a change of theirs. */
  readonly inputHash?: string | undefined;
}

/** One metric of one day of one source. */
export interface DailyRecord extends Dated {
  readonly kind: 'daily';
  readonly metric: DailyMetric;
  readonly value: number;
}

/** `asleep`: without saying how; `restless`: what classic trackers see between sleep and waking. */
export const sleepStages = ['awake', 'out_of_bed', 'restless', 'asleep', 'light', 'deep', 'rem', 'unknown'] as const;

export type SleepStage = (typeof sleepStages)[number];

/** Stages as runs, times in RFC 3339 UTC. */
export interface StageRun {
  readonly start: string;
  readonly end: string;
  readonly stage: SleepStage;
}

/** Durations in seconds; a value that the provider did not measure is null, never 0. */
export interface SleepDetail {
  readonly isMain: boolean;
  readonly isNap: boolean;
  readonly inBedS: number | null;
  readonly asleepS: number | null;
  readonly awakeS: number | null;
  readonly lightS: number | null;
  readonly deepS: number | null;
  readonly remS: number | null;
  readonly latencyS: number | null;
  /** asleep ÷ in bed, recomputed, in percent. */
  readonly efficiencyPct: number | null;
  readonly hrAvg: number | null;
  readonly hrMin: number | null;
  readonly hrvRmssd: number | null;
  readonly respiratoryRate: number | null;
  readonly stages: readonly StageRun[];
}

/** A night or a nap. `localDate` is the day of waking and an attribute, so a night can move. */
export interface SleepRecord extends Dated {
  readonly kind: 'sleep';
  /** RFC 3339 UTC. */
  readonly start: string;
  readonly end: string;
  readonly endUtcOffsetS: number | undefined;
  readonly detail: SleepDetail;
}

export type DeleteReason = 'provider_deleted' | 'absent_confirmed' | 'rekeyed' | 'permission_revoked' | 'erased';

/** What a change did to the row, in the words of the event. */
export type Change =
  | 'created'
  | 'updated'
  | 'restored'
  /** The provider's document is the same, and we read it better than before. */
  | 'renormalized';
