export { type EnvironmentName, type Scope, parseScopeKey, scopeKey } from './scope.js';
export { type Version, versionFromMs, versionFromText, versionToText } from './version.js';
export { type Window, type WindowColumns, type WindowKind, windowColumns, windowFromColumns } from './window.js';
export { type Notice, type NoticeKind, grantCollection } from './notice.js';
export type { Quantity, Unit } from './quantity.js';
export { type DailyMetric, type MetricFacts, dailyMetrics, roundTo } from './metric.js';
export type {
  Change,
  DailyRecord,
  DateBasis,
  DayModel,
  DeleteReason,
  DeletedRecord,
  HealthRecord,
  SleepDetail,
  SleepRecord,
  SleepStage,
  Source,
  StageRun,
} from './record.js';
export type { FetchOutcome } from './fetch-outcome.js';
export { type EventType, eventTypes } from './event.js';
export { Problem, type ProblemCode, problemCodes } from './problem.js';
export { type FailedAttempt, defaultScheduleS, nextAttemptAt } from './retry-schedule.js';
export { type AttemptOutcome, type NoAnswer, type Reply, type ReplyVerdict, noAnswers, readReply, retryAfterMs } from './read-reply.js';
export { type EndpointHealth, type HealthChange, disableRule, failedTooLong, healthChange } from './endpoint-health.js';
export { addDays, civilDayAt, isCivilDay, offsetOfText } from './civil-day.js';
export { closesAt } from './closed-day.js';
export { rangeOf } from './range.js';
export {
  type Debounce,
  type NoticeOfWindow,
  type WindowStanding,
  type WindowState,
  fileNotices,
  isCovered,
} from './file-notices.js';
export { type HeldVersion, type SeenVersion, type Verdict, supersede } from './supersede.js';
export { CONTRADICTION_DELAYS_MS, type Fate, MAX_ATTEMPTS, type ReadOfWindow, fateOf, retryDelayMs } from './window-fate.js';
export { canonicalJson } from './canonical-json.js';
export { recordContent } from './record-content.js';
