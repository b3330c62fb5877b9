import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { TouchedDay } from './resolved-row.js';

/** Days that could not be judged, for a fault of ours: those that are due to be looked at again are so only in an hour. */
export async function postponeAgain(sql: Sql, { tenantId, environment }: Scope, days: readonly TouchedDay[]): Promise<void> {
  if (days.length === 0) return;
  await sql.query({
    name: 'resolved/postpone-again',
    text: `
      update resolved_record r set judge_again_at = clock_timestamp() + interval '1 hour'
      from unnest($3::text[], $4::text[], $5::text[], $6::text[]) k (user_id, kind, metric, local_date)
      where r.tenant_id = $1 and r.environment = $2 and r.user_id = k.user_id and r.kind = k.kind and r.metric = k.metric
        and r.local_date = k.local_date::date and r.judge_again_at is not null`,
    values: [
      tenantId,
      environment,
      pgArray(
        'text',
        days.map((day) => day.userId),
      ),
      pgArray(
        'text',
        days.map((day) => day.kind),
      ),
      pgArray(
        'text',
        days.map((day) => day.metric),
      ),
      pgArray(
        'text',
        days.map((day) => day.localDate),
      ),
    ],
  });
}
