import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type RecordFilter, type ShownDatum, shownDatum } from './shown-datum.js';

export interface DailyValueRow extends ShownDatum {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  readonly implausible: boolean;
}

export interface DailyFilter extends RecordFilter {
  /** Where the last page ended: date, metric, provider, source. */
  readonly after: readonly [string, string, string, string] | undefined;
}

/** What we hold now, oldest day first; tombstones left out. */
export async function listDailyValues(sql: Sql, { tenantId, environment }: Scope, filter: DailyFilter): Promise<DailyValueRow[]> {
  const { rows } = await sql.query<DailyValueRow & Record<string, unknown>>({
    name: 'list-daily-values',
    text: `
      select ${shownDatum}, metric, value, unit, implausible
      from daily_rollup
      where tenant_id = $1 and environment = $2 and user_id = $3 and not deleted
        and ($4::text is null or metric = $4)
        and ($5::text is null or provider = $5)
        and ($6::text is null or source_id = $6)
        and ($7::date is null or local_date >= $7)
        and ($8::date is null or local_date <= $8)
        and ($9::date is null or (local_date, metric, provider, source_id) > ($9, $10, $11, $12))
      order by local_date, metric, provider, source_id
      limit $13`,
    values: [
      tenantId,
      environment,
      filter.userId,
      filter.metric ?? null,
      filter.provider ?? null,
      filter.sourceId ?? null,
      filter.from ?? null,
      filter.to ?? null,
      ...(filter.after ?? [null, null, null, null]),
      filter.limit,
    ],
  });
  return rows;
}
