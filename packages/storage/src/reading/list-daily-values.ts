import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { dailyText, dailyValuesOf } from './daily-text.js';
import type { DailyValueRow } from './daily-value-row.js';
import { type RecordFilter, recordConditions } from './record-conditions.js';

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
