import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { dailyText, dailyValuesOf } from './daily-text.js';
import { type RecordFilter, recordConditions } from './record-conditions.js';
import { type ShownDatum, shownDatum } from './shown-datum.js';

export interface DailyValueRow extends ShownDatum {
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  readonly implausible: boolean;
}

export const dailyColumns = `${shownDatum}, metric, value, unit, implausible`;

/** What we hold now, user by user, oldest day first; tombstones left out. A page ended at: user, date, metric, provider, source. */
export async function listDailyValues(sql: Sql, scope: Scope, filter: RecordFilter): Promise<DailyValueRow[]> {
  const { mark, text, values } = recordConditions(scope, filter, ['user_id', 'local_date', 'metric', 'provider', 'source_id']);
  const { rows } = await sql.query<{ row: string }>({
    name: `list-daily-values:${mark}`,
    text: `
      select ${dailyText}
      from daily_rollup
      ${text}`,
    values,
  });
  return dailyValuesOf(rows);
}
