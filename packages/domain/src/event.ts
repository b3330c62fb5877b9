/** What customers are told. Standard Webhooks allows letters, digits, `_` and `.` in a type. */
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
] as const;

export type EventType = (typeof eventTypes)[number];
