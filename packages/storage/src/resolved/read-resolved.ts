import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { ResolvedState, TouchedDay } from './resolved-row.js';

/** How the view stands of these days. */
export async function readResolved(sql: Sql, { tenantId, environment }: Scope, days: readonly TouchedDay[]): Promise<ResolvedState[]> {
  if (days.length === 0) return [];
  const { rows } = await sql.query<ResolvedState & Record<string, unknown>>({
    name: 'resolved/read-resolved',
    text: `
      select r.user_id as "userId", r.kind, r.metric, r.local_date as "localDate", r.item, r.resolution, r.content_hash as "contentHash",
        r.revision, r.deleted, r.judge_again_at is not null as waits
      from unnest($3::text[], $4::text[], $5::text[], $6::text[]) k (user_id, kind, metric, local_date)
      cross join lateral (
        select * from resolved_record
        where tenant_id = $1 and environment = $2 and user_id = k.user_id and kind = k.kind and metric = k.metric
          and local_date = k.local_date::date
        limit 500) r`,
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
  return rows;
}
