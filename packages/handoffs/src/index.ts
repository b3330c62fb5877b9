export {
  type AppRef,
  leftoverQueue,
  leftoverTicket,
  readLeftoverTicket,
  readResolveTicket,
  resolveQueue,
  resolveTicket,
} from './ingest-to-worker.js';
export { type EndedBackfill, backfillCompleted } from './backfill-event.js';
export { type FetchLane, fetchQueue, fetchTicket, readFetchTicket } from './worker-lanes.js';
export { readViewTicket, viewQueue, viewTicket } from './worker-views.js';
export { type EndpointRef, deliverQueue, deliverTicket, readDeliverTicket } from './worker-to-outbound.js';
export { type EventData, type EventRecord, type EventSchemas, eventBody, eventData, eventSchemas } from './outbound-to-receiver.js';
export { type ResolvedSpans, type SamplesOfDay, mergeSamples } from './merge-samples.js';
export { type RecordLinks, linksOf, thinData } from './thin-data.js';
export {
  type StoredSeries,
  showDailyValue,
  showMeasurement,
  showResolvedDaily,
  showSeries,
  showSeriesHead,
  showSleepSession,
  showSource,
  showWorkout,
} from './show-record.js';
export {
  type MeasurementContent,
  dailyEventRecord,
  measurementEventRecord,
  sleepEventRecord,
  workoutEventRecord,
} from './event-record.js';
