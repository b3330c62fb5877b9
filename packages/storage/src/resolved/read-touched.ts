import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { ResolvedKind, TouchedDay } from './resolved-row.js';

const kinds: Readonly<Record<string, ResolvedKind>> = {
  daily_total: 'daily',
  daily_summary: 'daily',
  session: 'session',
  measurement: 'measurement',
  series: 'series',
};

export interface TouchedDays {
  readonly days: readonly TouchedDay[];
  /** Events that were read; fewer than the limit: none is left up to `upto`. */
  readonly taken: number;
  /** Revision of the last of them. */
  readonly last: number | undefined;
}

/**
 * Days of which a source's row changed, by the events that told of it: each change of a row has one, in the same transaction. What tells of
 * the view itself is no change of a source. Samples of a workout belong to no day.
 */
export async function readTouched(
  sql: Sql,
  { tenantId, environment }: Scope,
  { after, upto, limit }: { readonly after: number; readonly upto: number; readonly limit: number },
): Promise<TouchedDays> {
  const { rows } = await sql.query<{
    revision: number;
    userId: string;
    kind: string | null;
    metric: string | null;
    localDate: string | null;
    previousLocalDate: string | null;
    workout: boolean;
  }>({
    name: 'resolved/read-touched',
    text: `
      select e.revision, e.user_id as "userId", d ->> 'kind' as kind, d ->> 'metric' as metric, d ->> 'localDate' as "localDate",
        d ->> 'previousLocalDate' as "previousLocalDate",
        coalesce(d ->> 'workoutId', case when d ->> 'kind' = 'series' then d ->> 'recordId' end) is not null as workout
      from (
        select revision, user_id, convert_from(data, 'UTF8')::jsonb as d from event
        where tenant_id = $1 and environment = $2 and revision > $3 and revision <= $4 and user_id is not null and data is not null
          and view is null
          and type in ('daily.updated', 'sleep.updated', 'workout.updated', 'measurement.updated', 'series.updated', 'record.deleted')
        order by revision
        limit $5) e
      order by e.revision`,
    values: [tenantId, environment, after, upto, limit],
  });
  const days = new Map<string, TouchedDay>();
  for (const row of rows) {
    const kind = kinds[row.kind ?? ''];
    if (kind === undefined || row.metric === null || row.workout) continue;
    for (const localDate of [row.localDate, row.previousLocalDate]) {
      if (localDate === null) continue;
      const { userId, metric } = row;
      days.set(JSON.stringify([userId, kind, metric, localDate]), { userId, kind, metric, localDate });
    }
  }
  return { days: [...days.values()], taken: rows.length, last: rows.at(-1)?.revision };
}
