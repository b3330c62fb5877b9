import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { RecoveryReach } from './recovery.js';

/**
 * Where to begin and end among revisions for events that occurred from `from` on and are there now. Revisions and times rise together, so
 * the place is halved in on, with one probe of the index each time. A minute of leeway is for a clock that was set back.
 */
export async function findReach(sql: Sql, { tenantId, environment }: Scope, from: Date): Promise<RecoveryReach> {
  const { rows } = await sql.query<{ reached: number; toRevision: number }>({
    name: 'recoveries/find-reach',
    text: `
      with recursive step as (
        -- All up to low is too old, nothing from high on is.
        select 0::int8 as low, last_revision + 1 as high, last_revision as last
        from revision_counter where tenant_id = $1 and environment = $2
        union all
        select case when e.is_older then e.revision else s.low end,
               case when e.is_older then s.high else (s.low + s.high) / 2 end, s.last
        from step s
        left join lateral (
          select revision, occurred_at < $3::timestamptz - interval '1 minute' as is_older from event
          where tenant_id = $1 and environment = $2 and revision >= (s.low + s.high) / 2 and revision < s.high
          order by revision limit 1
        ) e on true
        where s.high - s.low > 1
      )
      select max(low) as reached, max(last) as "toRevision" from step`,
    values: [tenantId, environment, from],
  });
  return { reached: Number(rows[0]?.reached ?? 0), toRevision: Number(rows[0]?.toRevision ?? 0) };
}
