import { type DailyMetric, type MeasurementMetric, type SeriesMetric, type Sport } from './metrics.js';
import type { CivilDate } from './civil-date.js';
import type { OfView, RecordLinks } from './record-forms.js';

/** The same with civil dates as any text: for values that you write down yourself. */
export type Plain<T> = T extends CivilDate
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [K in keyof T]: Plain<T[K]> };

/** RFC 3339 in UTC, to the millisecond: `2026-11-30T07:12:44.031Z`. */
export type Instant = string;

export interface User {
  /** Tributary's id of your user; survives re-authorisation. */
  readonly id: string;
  /** Your own id of the user, as you gave it. */
  readonly externalId: string;
}

export interface Source {
  /** Stable id of what measured; part of a record's key. */
  readonly id: string;
  readonly type: 'watch' | 'phone' | 'ring' | 'band' | 'scale' | 'app' | 'manual' | 'platform_merged' | 'unknown';
  readonly manufacturer: string | null;
  readonly model: string | null;
}

/** Names a record among those of one user and provider. */
export interface RecordName {
  readonly metric: string;
  readonly localDate: CivilDate;
  readonly sourceId: string;
  /** Of sessions and measurements theirs, of series that of the workout; null otherwise. */
  readonly recordId: string | null;
}

/** What every record carries. */
interface DatedData extends OfView {
  readonly user: User;
  readonly connectionId: string;
  readonly provider: string;
  /** The day that the record is filed under, computed once. */
  readonly localDate: CivilDate;
  readonly dateBasis: 'provider_date' | 'record_offset' | 'record_zone' | 'profile_zone' | 'fallback_zone' | 'utc_assumed';
  readonly dayModel: 'civil' | 'civil_0400' | 'physiological_cycle' | 'night';
  /** Seconds east of UTC at the start of the record, when known. */
  readonly utcOffsetS: number | null;
  readonly source: Source;
  /** Strictly increasing in an environment. Keep the event if it is higher than what you hold for its key; the whole rule. */
  readonly revision: number;
  /** The provider's modified time, RFC 3339 to the microsecond; when reading began if it has none (then `inferred`). */
  readonly version: string;
  readonly inferred: boolean;
  /** True while the provider may still change it. */
  readonly provisional: boolean;
  /** `re_resolved`: in the resolved view, your list of preferred sources changed. */
  readonly change: 'created' | 'updated' | 'restored' | 'renormalized' | 're_resolved';
  /** The same in all events of one change of key, and only in those. */
  readonly changeId?: string | undefined;
  /** The record that this one was until now, under another key: drop that one. */
  readonly supersedes?: RecordName | undefined;
  /** In thin events, and in those of series. */
  readonly links?: RecordLinks | undefined;
}

export interface DailyData extends DatedData {
  readonly metric: DailyMetric;
  /** A total grows over its day; a summary may go either way. */
  readonly kind: 'daily_total' | 'daily_summary';
  readonly record: {
    readonly value: number;
    /** UCUM: `{steps}`, `m`, `kcal`. */
    readonly unit: string;
    readonly statistic: 'sum' | 'mean' | 'min' | 'max' | 'last';
    /** Outside what a body can do, and kept all the same. */
    readonly implausible: boolean;
  };
}

export interface SleepStage {
  readonly start: Instant;
  readonly end: Instant;
  readonly stage: 'awake' | 'out_of_bed' | 'restless' | 'asleep' | 'light' | 'deep' | 'rem' | 'unknown';
}

export interface SleepData extends DatedData {
  readonly metric: 'sleep_session';
  readonly kind: 'session';
  /** Identity of the night; its date is an attribute and may move. */
  readonly recordId: string;
  readonly previousLocalDate: CivilDate | null;
  readonly window: { readonly start: Instant; readonly end: Instant };
  readonly endUtcOffsetS: number | null;
  /** Durations in seconds; null where the provider did not measure, never 0. */
  readonly record: {
    readonly isMain: boolean;
    readonly isNap: boolean;
    readonly inBedS: number | null;
    readonly asleepS: number | null;
    readonly awakeS: number | null;
    readonly lightS: number | null;
    readonly deepS: number | null;
    readonly remS: number | null;
    readonly latencyS: number | null;
    readonly efficiencyPct: number | null;
    readonly hrAvg: number | null;
    readonly hrMin: number | null;
    readonly hrvRmssd: number | null;
    readonly respiratoryRate: number | null;
    readonly stages: readonly SleepStage[];
  };
}

export interface WorkoutData extends DatedData {
  readonly metric: 'workout';
  readonly kind: 'session';
  /** Identity of the workout; its date is an attribute and may move. */
  readonly recordId: string;
  readonly previousLocalDate: CivilDate | null;
  readonly window: { readonly start: Instant; readonly end: Instant };
  readonly endUtcOffsetS: number | null;
  /** Null where the provider did not measure, never 0. */
  readonly record: {
    readonly sport: Sport;
    readonly subSport: string | null;
    readonly environment: 'indoor' | 'outdoor' | 'virtual' | 'pool' | 'open_water' | null;
    /** The provider's own word. */
    readonly providerSport: string;
    readonly elapsedS: number | null;
    readonly activeS: number | null;
    readonly distanceM: number | null;
    readonly elevationGainM: number | null;
    readonly activeEnergyKcal: number | null;
    readonly totalEnergyKcal: number | null;
    /** Mechanical work at the pedals; not what the body burnt. */
    readonly workKj: number | null;
    readonly hrAvg: number | null;
    readonly hrMax: number | null;
    /** Seconds in each zone, lowest first, as the provider cuts them. */
    readonly hrZonesS: readonly number[] | null;
    readonly powerAvgW: number | null;
    readonly cadenceAvg: number | null;
    readonly steps: number | null;
    /** A person typed it in. */
    readonly manual: boolean;
    readonly hasRoute: boolean;
    readonly hasStreams: boolean;
    readonly implausible: boolean;
  };
}

export interface MeasurementData extends DatedData {
  readonly metric: MeasurementMetric;
  readonly kind: 'measurement';
  /** Identity of the measurement; its date is an attribute and may move. */
  readonly recordId: string;
  readonly previousLocalDate: CivilDate | null;
  readonly measuredAt: Instant;
  readonly record: {
    /** Null for blood pressure, which has parts. */
    readonly value: number | null;
    readonly parts: { readonly systolic: number; readonly diastolic: number; readonly pulse: number | null } | null;
    /** UCUM; of the pressures, where there are parts. A pulse is in `/min`. */
    readonly unit: string;
    /** A person typed it in. */
    readonly manual: boolean;
    /** The provider does not know whose it is: a scale that several people use. */
    readonly ambiguous: boolean;
    /** The provider gives no time: instant and date are those of Tributary's first read of the value. */
    readonly undated: boolean;
    readonly implausible: boolean;
  };
}

/** Says that samples changed, and carries none: read them from the API, and put them in the place of what you hold. */
export interface SeriesData extends DatedData {
  readonly metric: SeriesMetric;
  readonly kind: 'series';
  /** The workout that the samples belong to; null: they are all of the day. */
  readonly workoutId: string | null;
  readonly previousLocalDate: CivilDate | null;
  /** How many there are now. */
  readonly sampleCount: number;
  /** First and last instant at which a sample came, went or changed; null when none did. */
  readonly changedFrom: Instant | null;
  readonly changedTo: Instant | null;
}

export interface DeletedData extends OfView {
  readonly user: User;
  readonly connectionId: string;
  readonly provider: string;
  readonly metric: string;
  readonly kind: 'daily_total' | 'daily_summary' | 'session' | 'measurement' | 'series';
  readonly localDate: CivilDate;
  readonly source: Source;
  /** Of sessions and measurements theirs, of series that of the workout; null for daily values and series of a day. */
  readonly recordId: string | null;
  readonly revision: number;
  readonly version: string;
  readonly inferred: boolean;
  /** `nothing_resolved`: of the resolved view, no source has anything to show there any more. */
  readonly reason: 'provider_deleted' | 'absent_confirmed' | 'rekeyed' | 'permission_revoked' | 'nothing_resolved';
  /** The same in all events of one change of key, and only in those. */
  readonly changeId?: string | undefined;
  /** The record that this one is from now on, under another key. */
  readonly supersededBy?: RecordName | undefined;
}

export interface ConnectionData {
  readonly user: User;
  readonly connectionId: string;
  readonly provider: string;
  readonly scopes: readonly string[];
  readonly revision: number;
}

export interface ConnectionEndedData {
  readonly user: User;
  readonly connectionId: string;
  readonly provider: string;
  /** `token_refused`, `user_revoked` (the person left at the provider), `disconnected` (you ended it); more may come. */
  readonly reason: string;
  readonly revision: number;
}

/** The past of a connection was read, as far as it could be. */
export interface BackfillData {
  readonly user: User;
  readonly connectionId: string;
  readonly provider: string;
  readonly backfillId: string;
  /** `incomplete`: some of it could not be read; the collections say which. What is not permitted is not missed. */
  readonly status: 'completed' | 'incomplete' | 'cancelled';
  /** What was asked for; `to` is exclusive. */
  readonly window: { readonly from: CivilDate; readonly to: CivilDate };
  /** Some collection reaches less far back than was asked for. */
  readonly truncatedByProvider: boolean;
  readonly collections: readonly {
    /** The provider's own name of what is read as a unit. */
    readonly collection: string;
    readonly status: 'done' | 'not_permitted' | 'failed' | 'cancelled';
    /** What the provider holds from here to `window.to` has been looked at. */
    readonly from: CivilDate;
    readonly windowsRead: number;
    /** Windows that could not be read: each has a dead letter, and is not counted as read. */
    readonly windowsFailed: number;
    readonly records: number;
  }[];
  /** Records that the provider showed. Those that were new or different have events of their own. */
  readonly records: number;
  readonly windowsFailed: number;
  readonly startedAt: Instant;
  readonly completedAt: Instant;
  readonly revision: number;
}

export interface ErasedData {
  readonly user: User;
  readonly erasureId: string;
  readonly requestedAt: Instant;
  readonly completedAt: Instant;
  readonly revision: number;
}

/** Of another endpoint of yours than the one that is told. */
export interface EndpointHealthData {
  readonly endpointId: string;
  /** The first failure since the last success. */
  readonly failingSince: Instant | null;
  /** Failed attempts since the last success. */
  readonly consecutiveFailures: number;
  readonly lastSuccessAt: Instant | null;
  readonly revision: number;
}

export interface EndpointFailingData extends EndpointHealthData {
  /** When it is disabled at the earliest if it takes nothing until then. */
  readonly disabledFrom: Instant;
}

export interface EndpointDisabledData extends EndpointHealthData {
  /** `answered_410`: it asked for it. `failed_too_long`: five days without a success. What is owed stays owed. More may come. */
  readonly reason: string;
}

export interface TestData {
  readonly message: string;
  readonly revision: number;
}

/** `data` of an event that carries or names a record. */
export type RecordData = DailyData | SleepData | WorkoutData | MeasurementData | SeriesData;

/** `data` by event type. */
export interface EventDataByType {
  'connection.created': ConnectionData;
  'connection.updated': ConnectionData;
  'connection.reauthRequired': ConnectionEndedData;
  'connection.revoked': ConnectionEndedData;
  'daily.updated': DailyData;
  'sleep.updated': SleepData;
  'workout.updated': WorkoutData;
  'measurement.updated': MeasurementData;
  'series.updated': SeriesData;
  'record.deleted': DeletedData;
  'backfill.completed': BackfillData;
  'user.erased': ErasedData;
  'endpoint.failing': EndpointFailingData;
  'endpoint.disabled': EndpointDisabledData;
  'endpoint.test': TestData;
}

/** The event types that this version of the SDK knows. More may come; they arrive as {@link UnknownEvent}. */
export type EventType = keyof EventDataByType;

export const eventTypes = [
  'connection.created',
  'connection.updated',
  'connection.reauthRequired',
  'connection.revoked',
  'daily.updated',
  'sleep.updated',
  'workout.updated',
  'measurement.updated',
  'series.updated',
  'record.deleted',
  'backfill.completed',
  'user.erased',
  'endpoint.failing',
  'endpoint.disabled',
  'endpoint.test',
] as const satisfies readonly EventType[];

const known: ReadonlySet<string> = new Set(eventTypes);

export function isEventType(type: string): type is EventType {
  return known.has(type);
}

interface Envelope {
  /** `webhook-id`: the identity of the event, the same over retries, replays and endpoints. */
  readonly id: string;
  /** When this attempt was signed. Says nothing about order. */
  readonly sentAt: Date;
  /** When the change was committed. */
  readonly timestamp: Instant;
  /** Counts from 1. */
  readonly deliveryAttempt: number;
}

interface Known<T extends EventType> extends Envelope {
  readonly known: true;
  readonly type: T;
  readonly data: EventDataByType[T];
}

/** Narrows by `type`. */
export type KnownEvent = { [T in EventType]: Known<T> }[EventType];

/** The event of one type. */
export type EventOf<T extends EventType> = Extract<KnownEvent, { readonly type: T }>;

/** Of a type that is newer than this SDK. */
export interface UnknownEvent extends Envelope {
  readonly known: false;
  readonly type: string & {};
  readonly data: unknown;
}

/** `if (event.known && event.type === 'daily.updated')` narrows `data`; so does {@link isEvent}. */
export type VerifiedEvent = KnownEvent | UnknownEvent;

export function isEvent<T extends EventType>(event: VerifiedEvent, type: T): event is EventOf<T> {
  return event.known && event.type === type;
}
