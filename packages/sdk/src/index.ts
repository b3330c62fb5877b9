export { type VerifyOptions, verify, verifySignature } from './verify.js';
export { type VerifiedRequest } from './verified-request.js';
export { type BodyMistake, type VerificationDetail, VerificationError, type VerificationErrorCode } from './verification-error.js';
export { type BodyInput } from './read-body.js';
export { type HeadersInput } from './read-headers.js';
export { type SecretSource, type Secrets } from './keyring.js';
export {
  type BackfillData,
  type CivilDate,
  type ConnectionData,
  type ConnectionEndedData,
  type DailyData,
  type DeletedData,
  type RecordName,
  type ErasedData,
  type EventDataByType,
  type EventOf,
  type EventType,
  type Instant,
  type KnownEvent,
  type MeasurementData,
  type RecordData,
  type SeriesData,
  type SleepData,
  type SleepStage,
  type Source,
  type TestData,
  type UnknownEvent,
  type User,
  type VerifiedEvent,
  type WorkoutData,
  eventTypes,
  isEvent,
  isEventType,
} from './events.js';
export { type DailyMetric, type MeasurementMetric, type SeriesMetric, type Sport } from './metrics.js';
export { type Handler, type HandlerContext, type Handlers, type Receiver, type ReceiverOptions, createReceiver } from './receiver.js';
export { type Problem, type ReceiverOutcome, type Reply, replyTo } from './receiver-outcome.js';
export { type Claim, type ClaimKey, type ClaimStore } from './claim-store.js';
export { memoryStore } from './claim-store.memory.js';
export { type RecordChange, type RecordKey, isNewer, recordChangeOf } from './record-change.js';
export { type Applied, type RecordBook } from './record-book.js';
export { type HeldRecord, type MemoryRecords, memoryRecords } from './record-book.memory.js';
