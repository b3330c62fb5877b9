/** What a person can share, as Oura names it. */
export const ouraScopes = ['email', 'personal', 'daily', 'heartrate', 'workout', 'tag', 'session', 'spo2Daily'] as const;

/** What Oura sends webhooks about. `heartrate` is not among them. */
export const dataTypes = [
  'tag',
  'enhanced_tag',
  'workout',
  'session',
  'sleep',
  'daily_sleep',
  'daily_readiness',
  'daily_activity',
  'daily_spo2',
  'sleep_time',
  'rest_mode_period',
  'ring_configuration',
  'daily_stress',
  'daily_cardiovascular_age',
  'daily_resilience',
  'vo2_max',
  'meal',
] as const;

export const eventTypes = ['create', 'update', 'delete'] as const;

export type DataType = (typeof dataTypes)[number];
export type EventType = (typeof eventTypes)[number];
