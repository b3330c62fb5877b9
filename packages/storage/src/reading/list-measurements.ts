import type { BloodPressure, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type RecordFilter, recordConditions } from './record-conditions.js';
import { type ShownDatum, shownDatum } from './shown-datum.js';

export interface MeasurementShown extends ShownDatum {
  readonly metric: string;
  readonly recordId: string;
  readonly measuredAt: Date;
  readonly value: number | null;
  readonly parts: BloodPressure | null;
  readonly unit: string;
  readonly implausible: boolean;
  readonly manual: boolean;
  readonly ambiguous: boolean;
  readonly undated: boolean;
}

export const measurementColumns = `${shownDatum}, metric, record_id as "recordId", measured_at as "measuredAt", value, parts, unit,
        implausible, manual, ambiguous, undated`;

/** What we hold now, user by user, oldest day first; tombstones left out. A page ended at: user, date, metric, provider, source, record. */
export async function listMeasurements(sql: Sql, scope: Scope, filter: RecordFilter): Promise<MeasurementShown[]> {
  const order = ['user_id', 'local_date', 'metric', 'provider', 'source_id', 'record_id'];
  const { mark, text, values } = recordConditions(scope, filter, order);
  const { rows } = await sql.query<MeasurementShown & Record<string, unknown>>({
    name: `list-measurements:${mark}`,
    text: `
      select ${measurementColumns}
      from measurement_record
      ${text}`,
    values,
  });
  return rows;
}
