export { type Verification, type VerifyOptions, tryVerify, verify, verifySignature } from './verify.js';
export { type Prover, type SignatureCrypto, type Verdict } from './signature.js';
export { webCrypto } from './signature.web.js';
export { type VerifiedRequest } from './verified-request.js';
export { type BodyMistake, type VerificationDetail, VerificationError, type VerificationErrorCode } from './verification-error.js';
export { type BodyInput } from './read-body.js';
export { type HeadersInput } from './read-headers.js';
export { type SecretSource, type Secrets } from './keyring.js';
export {
  type BackfillData,
  type ConnectionData,
  type ConnectionEndedData,
  type DailyData,
  type DeletedData,
  type RecordName,
  type EndpointDisabledData,
  type EndpointFailingData,
  type EndpointHealthData,
  type ErasedData,
  type EventDataByType,
  type EventOf,
  type EventType,
  type Instant,
  type KnownEvent,
  type MeasurementData,
  type Plain,
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
export { type CivilDate, type CivilDateIsNoInstant, civilDate } from './civil-date.js';
export { type RecordLinks, type Resolution } from './record-forms.js';
export { type ThinData, isThin } from './thin-event.js';
export { type DailyMetric, type MeasurementMetric, type SeriesMetric, type Sport } from './metrics.js';
export { type Handler, type HandlerContext } from './handle-once.js';
export { type Handlers, type ReceivedRequest, type Receiver, type ReceiverOptions, createReceiver } from './receiver.js';
export { RetryLater } from './retry-later.js';
export { type Problem, type ReceiverOutcome, type Reply, replyTo } from './receiver-outcome.js';
export { type Claim, type ClaimKey, type ClaimStore, type Once, type TransactionalStore } from './claim-store.js';
export { memoryStore } from './claim-store.memory.js';
export { type RecordChange, type RecordKey, isNewer, recordChangeOf } from './record-change.js';
export { type Applied, type RecordBook } from './record-book.js';
export { type HeldRecord, type MemoryRecords, memoryRecords } from './record-book.memory.js';
export { type FetchHandlerOptions, fetchHandler } from './handlers/fetch.js';
