export { readResolveTicket, resolveQueue, resolveTicket } from './ingest-to-worker.js';
export { type FetchLane, fetchQueue, fetchTicket, readFetchTicket } from './worker-lanes.js';
export { type EndpointRef, deliverQueue, deliverTicket, readDeliverTicket } from './worker-to-outbound.js';
export { type EventData, type EventRecord, type EventSchemas, eventBody, eventData, eventSchemas } from './outbound-to-receiver.js';
export { dailyEventRecord, sleepEventRecord } from './event-record.js';
