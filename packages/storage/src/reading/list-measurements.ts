import type { BloodPressure, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type RecordFilter, type ShownDatum, shownDatum } from './shown-datum.js';

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

export interface MeasurementFilter extends RecordFilter {
  /** Where the last page ended: date, metric, provider, source, record. */
  readonly after: readonly [string, string, string, string, string] | undefined;
}

/** What we hold now, oldest day first; tombstones left out. */
export async function listMeasurements(sql: Sql, { tenantId, environment }: Scope, filter: MeasurementFilter): Promise<MeasurementShown[]> {
  const { rows } = await sql.query<MeasurementShown & Record<string, unknown>>({
    name: 'list-measurements',
    text: `
      select ${shownDatum}, metric, record_id as "recordId", measured_at as "measuredAt", value, parts, unit, implausible, manual,
        ambiguous, undated
      from measurement_record
      where tenant_id = $1 and environment = $2 and user_id = $3 and not deleted
        and ($4::text is null or metric = $4)
        and ($5::text is null or provider = $5)
        and ($6::text is null or source_id = $6)
        and ($7::date is null or local_date >= $7)
        and ($8::date is null or local_date <= $8)
        and ($9::date is null or (local_date, metric, provider, source_id, record_id) > ($9, $10, $11, $12, $13))
      order by local_date, metric, provider, source_id, record_id
      limit $14`,
    values: [
      tenantId,
      environment,
      filter.userId,
      filter.metric ?? null,
      filter.provider ?? null,
      filter.sourceId ?? null,
      filter.from ?? null,
      filter.to ?? null,
      ...(filter.after ?? [null, null, null, null, null]),
      filter.limit,
    ],
  });
  return rows;
}
