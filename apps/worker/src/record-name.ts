import { type DailyMetric, dailyMetrics } from '@tributary/domain';
import type { EventData } from '@tributary/handoffs';
import type { RecordKey } from '@tributary/storage';

type Named = Pick<EventData<'record.deleted'>, 'metric' | 'kind' | 'recordId'>;

/** What a row is to a customer. */
export function nameOf({ table, metric = '', kind, recordId, item, localDate }: RecordKey): Named {
  switch (table) {
    case 'daily_rollup':
      return { metric, kind: dailyMetrics[metric as DailyMetric].kind, recordId: null };
    case 'session_record':
      return { metric: kind === 'workout' ? 'workout' : 'sleep_session', kind: 'session', recordId: recordId ?? null };
    case 'measurement_record':
      return { metric, kind: 'measurement', recordId: recordId ?? null };
    case 'series_day':
      return { metric, kind: 'series', recordId: item === undefined || item === localDate ? null : item };
  }
}

/** A record as an event names it that is about another one. */
export function recordName(row: RecordKey): NonNullable<EventData<'record.deleted'>['supersededBy']> {
  const { metric, recordId } = nameOf(row);
  return { metric, localDate: row.localDate, sourceId: row.sourceId, recordId };
}
