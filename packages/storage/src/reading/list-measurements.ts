import type { BloodPressure, Scope, Source } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface MeasurementShown {
  readonly connectionId: string;
  readonly provider: string;
  readonly metric: string;
  readonly sourceId: string;
  readonly recordId: string;
  readonly localDate: string;
  readonly source: Source;
  readonly measuredAt: Date;
  readonly value: number | null;
  readonly parts: BloodPressure | null;
  readonly unit: string;
  readonly implausible: boolean;
  readonly manual: boolean;
  readonly ambiguous: boolean;
  readonly undated: boolean;
  readonly dateBasis: string;
  readonly dayModel: string;
  readonly utcOffsetS: number | null;
  readonly provisional: boolean;
  /** Microseconds since the epoch. */
  readonly version: number;
  readonly inferred: boolean;
  readonly revision: number;
}

export interface MeasurementFilter {
  readonly userId: string;
  readonly metric: string | undefined;
  readonly provider: string | undefined;
  readonly sourceId: string | undefined;
  /** Both inclusive. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Where the last page ended: date, metric, provider, source, record. */
  readonly after: readonly [string, string, string, string, string] | undefined;
  readonly limit: number;
}

/** What we hold now, oldest day first; tombstones left out. */
export async function listMeasurements(sql: Sql, { tenantId, environment }: Scope, filter: MeasurementFilter): Promise<MeasurementShown[]> {
  const { rows } = await sql.query<MeasurementShown & Record<string, unknown>>({
    name: 'list-measurements',
    text: `
      select connection_id as "connectionId", provider, metric, source_id as "sourceId", record_id as "recordId",
        local_date as "localDate", source, measured_at as "measuredAt", value, parts, unit, implausible, manual, ambiguous, undated,
        date_basis as "dateBasis", day_model as "dayModel", utc_offset_s as "utcOffsetS", provisional, version, inferred, revision
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
