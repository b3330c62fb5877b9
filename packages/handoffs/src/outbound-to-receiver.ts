import { dailyMetrics, environments, measurementMetrics, seriesMetrics, sleepStages, sports } from '@tributary/domain';
import { z } from 'zod';

/**
 * What customers receive, and what the OpenAPI document's `webhooks` section is made from. Camel case on the wire; instants
 * are RFC 3339 UTC; civil dates are `YYYY-MM-DD` text. Additive changes only.
 */
const instant = z.iso.datetime({ precision: 3 });
const civilDate = z.iso.date();

const user = z.object({
  id: z.string().describe('Our id of your user; survives re-authorisation.'),
  externalId: z.string().describe('Your own id of the user, as you gave it.'),
});

const source = z.object({
  id: z.string().describe('Stable id of what measured; part of the key.'),
  type: z.enum(['watch', 'phone', 'ring', 'band', 'scale', 'app', 'manual', 'platform_merged', 'unknown']),
  manufacturer: z.string().nullable(),
  model: z.string().nullable(),
});

const recordName = z.object({
  metric: z.string(),
  localDate: civilDate,
  sourceId: z.string(),
  recordId: z.string().nullable().describe('Of sessions and measurements theirs, of series that of the workout; null otherwise.'),
});

/** Of events about the resolved view, and absent from all others. */
const ofView = {
  view: z
    .literal('resolved')
    .optional()
    .describe(
      'It tells of the resolved view, which has revisions and keys of its own: one value of a user, metric and day, whatever provider and source it is shown from. Sessions keep the key of the one that stands for them.',
    ),
  resolution: z
    .object({
      picked: z.object({ provider: z.string(), sourceId: z.string(), recordId: z.string().nullable() }).nullable(),
      rule: z.enum(['platform_merged', 'priority', 'hysteresis', 'latest', 'cluster', 'per_span', 'intraday', 'nothing']),
      derivation: z.literal('computed').optional().describe('The value is no source’s own.'),
    })
    .optional()
    .describe('In events of the resolved view: whose record is shown, and by which rule. Of one that is gone `picked` is null.'),
};

const links = z
  .object({
    self: z.string().describe('The record at this revision; 410 once it was replaced or deleted.'),
    latest: z.string().describe('The record as it is when you ask; of the resolved view as a list.'),
  })
  .optional()
  .describe("In thin events, and in those of series: paths below the API's address, read with an API key.");

const changeId = z.string().optional().describe('The same in all events of one change of key, and only in those.');

const dated = z.object({
  user,
  connectionId: z.string(),
  provider: z.string(),
  localDate: civilDate.describe('The civil date the record is filed under, computed once.'),
  dateBasis: z.enum(['provider_date', 'record_offset', 'record_zone', 'profile_zone', 'fallback_zone', 'utc_assumed']),
  dayModel: z.enum(['civil', 'civil_0400', 'physiological_cycle', 'night']),
  utcOffsetS: z.int().nullable().describe('Seconds east of UTC at the start of the record, when known.'),
  source,
  revision: z
    .int()
    .describe('Ours, strictly increasing in an environment. Keep the event if it is higher than what you hold for this key.'),
  version: z.iso
    .datetime({ precision: 6 })
    .describe("The provider's modified time, or when we began to read it (then `inferred` is true)."),
  inferred: z.boolean(),
  provisional: z.boolean().describe('True while the provider may still change it.'),
  change: z
    .enum(['created', 'updated', 'restored', 'renormalized', 're_resolved'])
    .describe(
      '`restored`: it was deleted. `renormalized`: the provider changed nothing, we read its document better than before. `re_resolved`: in the resolved view, your list of preferred sources changed.',
    ),
  changeId,
  supersedes: recordName.optional().describe('The record that this one was until now, under another key: drop that one.'),
  ...ofView,
  links,
});

const dailyData = dated.extend({
  metric: z.enum(Object.keys(dailyMetrics) as [keyof typeof dailyMetrics]),
  kind: z.enum(['daily_total', 'daily_summary']).describe('A total grows over its day; a summary may go either way.'),
  record: z.object({
    value: z.number(),
    unit: z.string().describe('UCUM.'),
    statistic: z.enum(['sum', 'mean', 'min', 'max', 'last']),
    implausible: z.boolean(),
  }),
});

const stage = z.object({ start: instant, end: instant, stage: z.enum(sleepStages) });
const seconds = z.number().nullable();

const sleepData = dated.extend({
  metric: z.literal('sleep_session'),
  kind: z.literal('session'),
  recordId: z.string().describe('Identity of the night; its date is an attribute and may move.'),
  previousLocalDate: civilDate.nullable(),
  window: z.object({ start: instant, end: instant }),
  endUtcOffsetS: z.int().nullable(),
  record: z.object({
    isMain: z.boolean(),
    isNap: z.boolean(),
    inBedS: seconds,
    asleepS: seconds,
    awakeS: seconds,
    lightS: seconds,
    deepS: seconds,
    remS: seconds,
    latencyS: seconds,
    efficiencyPct: seconds,
    hrAvg: seconds,
    hrMin: seconds,
    hrvRmssd: seconds,
    respiratoryRate: seconds,
    stages: z.array(stage),
  }),
});

const number = z.number().nullable();

const workoutData = dated.extend({
  metric: z.literal('workout'),
  kind: z.literal('session'),
  recordId: z.string().describe('Identity of the workout; its date is an attribute and may move.'),
  previousLocalDate: civilDate.nullable(),
  window: z.object({ start: instant, end: instant }),
  endUtcOffsetS: z.int().nullable(),
  record: z.object({
    sport: z.enum(sports),
    subSport: z.string().nullable().describe('A finer kind, such as `trail`.'),
    environment: z.enum(environments).nullable(),
    providerSport: z.string().describe("The provider's own word."),
    elapsedS: seconds,
    activeS: seconds,
    distanceM: number,
    elevationGainM: number,
    activeEnergyKcal: number,
    totalEnergyKcal: number,
    workKj: number.describe('Mechanical work at the pedals; not what the body burnt.'),
    hrAvg: number,
    hrMax: number,
    hrZonesS: z.array(z.number()).nullable().describe('Seconds in each zone, lowest first, as the provider cuts them.'),
    powerAvgW: number,
    cadenceAvg: number,
    steps: number,
    manual: z.boolean().describe('A person typed it in.'),
    hasRoute: z.boolean(),
    hasStreams: z.boolean(),
    implausible: z.boolean(),
  }),
});

const measurementData = dated.extend({
  metric: z.enum(['blood_pressure', ...(Object.keys(measurementMetrics) as (keyof typeof measurementMetrics)[])]),
  kind: z.literal('measurement'),
  recordId: z.string().describe('Identity of the measurement; its date is an attribute and may move.'),
  previousLocalDate: civilDate.nullable(),
  measuredAt: instant,
  record: z.object({
    value: number.describe('Null for blood pressure, which has parts.'),
    parts: z.object({ systolic: z.number(), diastolic: z.number(), pulse: number }).nullable(),
    unit: z.string().describe('UCUM; of the pressures, where there are parts. A pulse is in `/min`.'),
    manual: z.boolean().describe('A person typed it in.'),
    ambiguous: z.boolean().describe('The provider does not know whose it is: a scale that several people use.'),
    undated: z.boolean().describe('The provider gives no time: instant and date are those of our first read of the value.'),
    implausible: z.boolean(),
  }),
});

const seriesData = dated.extend({
  metric: z.enum(Object.keys(seriesMetrics) as [keyof typeof seriesMetrics]),
  kind: z.literal('series'),
  workoutId: z.string().nullable().describe('The workout that the samples belong to; null: they are all of the day.'),
  previousLocalDate: civilDate.nullable(),
  sampleCount: z.int().describe('How many there are now. The samples themselves are read from the API, and replace what you hold.'),
  changedFrom: instant.nullable().describe('First instant at which a sample came, went or changed; null when none did.'),
  changedTo: instant.nullable().describe('The last such instant.'),
});

const deletedData = z.object({
  user,
  connectionId: z.string(),
  provider: z.string(),
  metric: z.string(),
  kind: z.enum(['daily_total', 'daily_summary', 'session', 'measurement', 'series']),
  localDate: civilDate,
  source,
  recordId: z
    .string()
    .nullable()
    .describe('Of sessions and measurements theirs, of series that of the workout; null for daily values and series of a day.'),
  revision: z.int(),
  version: z.iso.datetime({ precision: 6 }),
  inferred: z.boolean(),
  reason: z
    .enum(['provider_deleted', 'absent_confirmed', 'rekeyed', 'permission_revoked', 'nothing_resolved'])
    .describe('`nothing_resolved`: of the resolved view, no source has anything to show there any more.'),
  changeId,
  ...ofView,
  supersededBy: recordName.optional().describe('The record that this one is from now on, under another key.'),
});

const connectionData = z.object({
  user,
  connectionId: z.string(),
  provider: z.string(),
  scopes: z.array(z.string()),
  revision: z.int(),
});

const connectionEndedData = z.object({
  user,
  connectionId: z.string(),
  provider: z.string(),
  reason: z
    .string()
    .describe(
      '`token_refused`: the provider does not take our token any more, and the person has to consent again. `user_revoked`: the person left at the provider, which confirmed it. `disconnected`: you ended it. More may come.',
    ),
  revision: z.int(),
});

const backfillData = z.object({
  user,
  connectionId: z.string(),
  provider: z.string(),
  backfillId: z.string(),
  status: z
    .enum(['completed', 'incomplete', 'cancelled'])
    .describe('`incomplete`: some of it could not be read; the collections say which. What is not permitted is not missed.'),
  window: z.object({ from: civilDate, to: civilDate.describe('Exclusive.') }).describe('What was asked for.'),
  truncatedByProvider: z.boolean().describe('Some collection reaches less far back than was asked for.'),
  collections: z.array(
    z.object({
      collection: z.string().describe("The provider's own name of what is read as a unit."),
      status: z.enum(['done', 'not_permitted', 'failed', 'cancelled']),
      from: civilDate.describe('Read from this day on: what the provider holds from here to `window.to` has been looked at.'),
      windowsRead: z.int(),
      windowsFailed: z.int().describe('Windows that could not be read: each has a dead letter, and is not counted as read.'),
      records: z.int(),
    }),
  ),
  records: z.int().describe('Records that the provider showed. Those that were new or different have events of their own.'),
  windowsFailed: z.int(),
  startedAt: instant,
  completedAt: instant,
  revision: z.int(),
});

const endpointHealth = z.object({
  endpointId: z.string(),
  failingSince: instant.nullable().describe('The first failure since the last success.'),
  consecutiveFailures: z.int().describe('Failed attempts since the last success.'),
  lastSuccessAt: instant.nullable(),
  revision: z.int(),
});

export const eventSchemas = {
  'connection.created': connectionData,
  'connection.updated': connectionData,
  'connection.reauthRequired': connectionEndedData,
  'connection.revoked': connectionEndedData,
  'daily.updated': dailyData,
  'sleep.updated': sleepData,
  'workout.updated': workoutData,
  'measurement.updated': measurementData,
  'series.updated': seriesData,
  'record.deleted': deletedData,
  'backfill.completed': backfillData,
  'user.erased': z.object({ user, erasureId: z.string(), requestedAt: instant, completedAt: instant, revision: z.int() }),
  'endpoint.failing': endpointHealth.extend({ disabledFrom: instant.describe('When it is disabled at the earliest if nothing is taken.') }),
  'endpoint.disabled': endpointHealth.extend({
    reason: z
      .string()
      .describe('`answered_410`: it asked for it. `failed_too_long`: five days without a success. What is owed stays owed. More may come.'),
  }),
  'endpoint.test': z.object({ message: z.string(), revision: z.int() }),
} as const;

export type EventSchemas = typeof eventSchemas;
/** `data` of an event of type `T`. */
export type EventData<T extends keyof EventSchemas> = z.infer<EventSchemas[T]>;
/** What stands under `record`; the API answers with the same shape (one serializer). */
export type EventRecord<T extends 'daily.updated' | 'sleep.updated' | 'workout.updated' | 'measurement.updated'> = EventData<T>['record'];

/**
 * The exact bytes that are signed and sent. `data` is spliced in as it was stored, so that it is byte-identical over retries
 * and replays; `timestamp` is the commit time of the change, `deliveryAttempt` counts from 1.
 */
export function eventBody(type: string, timestamp: Date, deliveryAttempt: number, data: Uint8Array): Buffer {
  const head = `{"type":${JSON.stringify(type)},"timestamp":"${timestamp.toISOString()}","deliveryAttempt":${deliveryAttempt},"data":`;
  return Buffer.concat([Buffer.from(head), data, Buffer.from('}')]);
}

/** The bytes that `event.data` holds. */
export function eventData<T extends keyof EventSchemas>(_type: T, data: EventData<T>): Buffer {
  return Buffer.from(JSON.stringify(data));
}
