import { type DailyMetric, type Source, versionToText } from '@tributary/domain';
import { type EventData, dailyEventRecord, sleepEventRecord } from '@tributary/handoffs';
import type { DailyValueRow, SleepSessionRow } from '@tributary/storage';
import type { z } from 'zod';
import type { dailyValue, sleepSession } from './record.js';

type Dated = Pick<
  EventData<'daily.updated'>,
  | 'connectionId'
  | 'provider'
  | 'localDate'
  | 'dateBasis'
  | 'dayModel'
  | 'utcOffsetS'
  | 'source'
  | 'revision'
  | 'version'
  | 'inferred'
  | 'provisional'
>;

export function showDailyValue(row: DailyValueRow): z.infer<typeof dailyValue> {
  const metric = row.metric as DailyMetric;
  return {
    ...dated(row),
    metric,
    kind: 'daily_total',
    record: dailyEventRecord({ metric, value: row.value, implausible: row.implausible }),
  };
}

export function showSleepSession(row: SleepSessionRow): z.infer<typeof sleepSession> {
  return {
    ...dated(row),
    metric: 'sleep_session',
    kind: 'session',
    recordId: row.recordId,
    window: { start: row.startedAt.toISOString(), end: row.endedAt.toISOString() },
    endUtcOffsetS: row.endUtcOffsetS,
    record: sleepEventRecord(row.detail),
  };
}

function dated(row: DailyValueRow | SleepSessionRow): Dated {
  return {
    connectionId: row.connectionId,
    provider: row.provider,
    localDate: row.localDate,
    dateBasis: row.dateBasis as Dated['dateBasis'],
    dayModel: row.dayModel as Dated['dayModel'],
    utcOffsetS: row.utcOffsetS,
    source: showSource(row.source),
    revision: row.revision,
    version: versionToText(row.version),
    inferred: row.inferred,
    provisional: row.provisional,
  };
}

/** JSON keeps no undefined: what the provider did not say is null on the wire. */
function showSource({ id, type, manufacturer, model }: Source): Dated['source'] {
  return { id, type, manufacturer: manufacturer ?? null, model: model ?? null };
}
