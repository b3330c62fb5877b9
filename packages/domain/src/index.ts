export { type EnvironmentName, type Scope, parseScopeKey, scopeKey } from './scope.js';
export { type Version, versionFromMs, versionFromText, versionToText } from './version.js';
export { type Window, type WindowColumns, type WindowKind, windowColumns, windowFromColumns } from './window.js';
export { type Notice, type NoticeKind, grantCollection } from './notice.js';
export { type ProviderUnit, type Quantity, type Unit, type UnitFor, canonical, convert, roundTo } from './quantity.js';
export {
  type DailyFacts,
  type DailyMetric,
  type MeasurementMetric,
  type MetricFacts,
  type SeriesMetric,
  type ValueMetric,
  bloodPressureParts,
  dailyMetrics,
  measurementMetrics,
  seriesMetrics,
  seriesOfTotals,
  totalOfSeries,
} from './metric.js';
export {
  type Change,
  type DailyRecord,
  type DateBasis,
  type Dated,
  type DayModel,
  type DeleteReason,
  type SleepDetail,
  type SleepRecord,
  type SleepStage,
  type Source,
  type StageRun,
  sleepStages,
} from './record.js';
export type { DeletedRecord, HealthRecord, StoredRecord } from './health-record.js';
export { type BloodPressure, type MeasurementRecord } from './measurement.js';
export { type Samples, type SeriesRecord, changedSpan } from './series.js';
export { storableText } from './storable-text.js';
export { roundRecord } from './round-record.js';
export { type RangeOfRecord, rangeOfRecord, rangeOfSession } from './range-of-record.js';
export { type Environment, type Sport, type SportOf, environments, sports } from './sport.js';
export { sportOf } from './sport-of.js';
export { type WorkoutDetail, type WorkoutRecord } from './workout.js';
export type { FetchOutcome } from './fetch-outcome.js';
export { type EventType, eventTypes } from './event.js';
export { Problem, type ProblemCode, problemCodes } from './problem.js';
export { type FailedAttempt, defaultScheduleS, nextAttemptAt } from './retry-schedule.js';
export {
  type AttemptOutcome,
  type NoAnswer,
  type Reply,
  type ReplyVerdict,
  attemptOutcomes,
  noAnswers,
  readReply,
  retryAfterMs,
} from './read-reply.js';
export {
  type EndpointHealth,
  type HealthChange,
  disableRule,
  disabledFrom,
  failedForLong,
  failedTooLong,
  healthChange,
  warnRule,
} from './endpoint-health.js';
export { type EndpointPace, type PacedAttempt, fullPace, isCongested, paceAfter, paceRule } from './endpoint-pace.js';
export { estimatedEnd } from './backfill-progress.js';
export { addDays, civilDayAt, isCivilDay, offsetOfText } from './civil-day.js';
export { closesAt } from './closed-day.js';
export { type Zone, endOfDay, isZone, localDate, offsetAt, startOfDay } from './local-date.js';
export { type Range, rangeOf } from './range.js';
export {
  type Debounce,
  type NoticeOfWindow,
  type WindowStanding,
  type WindowState,
  fileNotices,
  isCovered,
} from './file-notices.js';
export {
  ABSENCE_DELAYS_MS,
  CONTRADICTION_DELAYS_MS,
  type Fate,
  MAX_ATTEMPTS,
  type ReadOfWindow,
  fateOf,
  retryDelayMs,
} from './window-fate.js';
export { canonicalJson } from './canonical-json.js';
export { recordContent } from './record-content.js';
export {
  type CivilDate,
  type DateAnomaly,
  type DateClues,
  type SessionClues,
  type SessionDate,
  type SleepOfDay,
  type Whereabouts,
  type ZonePeriod,
  civilDate,
  isWeak,
  mainSleep,
  nightDate,
  redated,
  sleepDate,
  workoutDate,
  zoneAt,
} from './date-record.js';
export { type DayQuirk, type ProviderDay, providerDay } from './provider-day.js';
export { type RecordStanding, fitsDay, isProvisional } from './closed-day.js';
export { type Decision, type SettlingPull, type TableRow, type WriteNote, coalesceSettling, decide, withdraw } from './decide.js';
export {
  type Doubt,
  type Freshness,
  type HeldState,
  type Observation,
  compareFreshness,
  freshnessOfPull,
  freshnessOfPush,
} from './observation.js';
export {
  type Absences,
  type FusedAbsences,
  type HeldOfWindow,
  type NoProof,
  type WindowRead,
  ABSENCE_APART_MS,
  absencesOf,
  fuse,
} from './absence.js';
export {
  type Bucket,
  type CallClass,
  type Quota,
  type Refill,
  type Taken,
  givenBack,
  learned,
  mostAtOnce,
  refilled,
  refused,
  retryAtOf,
  spacingMs,
  takeCalls,
} from './token-bucket.js';
export { type Rekeying, type SessionSpan, derivedRecordId, isSameSession, rekey } from './rekey.js';
export {
  type DailyQuestion,
  type DailyResolution,
  type JudgedCandidate,
  type MeasuredCandidate,
  type SeriesCandidate,
  RESOLVER_VERSION,
  SERIES_SPAN_S,
  resolveDaily,
  resolveMeasurements,
  resolveSeries,
} from './resolve-sources.js';
export { type IntradayCandidate, type IntradayQuestion, type IntradayResolution, resolveIntraday } from './resolve-intraday.js';
export { type SessionCandidate, type SessionCluster, resolveSessions } from './resolve-sessions.js';
export { type PriorityEntry, type PriorityList, type PriorityLists, type SourceCandidate } from './source-priority.js';
