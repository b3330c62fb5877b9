import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { TouchedDay } from './resolved-row.js';

export interface Renewal {
  readonly id: string;
  readonly days: readonly TouchedDay[];
  /** The last user of this part; undefined: none is left, the renewal is done. */
  readonly lastUser: string | undefined;
}

/** The oldest renewal of the environment, and the days of its next users. Users who have nothing of the metric count as well. */
export async function readRenewal(sql: Sql, { tenantId, environment }: Scope, users: number): Promise<Renewal | undefined> {
  const { rows } = await sql.query<{
    id: string;
    lastUser: string | null;
    userId: string | null;
    kind: TouchedDay['kind'];
    metric: string;
    localDate: string;
  }>({
    name: 'resolved/read-renewal',
    text: `
      with renewal as materialized (
        select * from resolved_renewal where tenant_id = $1 and environment = $2 order by requested_at, id limit 1
      ), people as materialized (
        select u.id from renewal r
        join app_user u on u.tenant_id = $1 and u.environment = $2 and u.id > r.after_user and (r.user_id is null or u.id = r.user_id)
        order by u.id
        limit $3
      )
      select r.id, (select max(id) from people) as "lastUser", d.user_id as "userId", d.kind, d.metric, d.local_date as "localDate"
      from renewal r
      left join (people p join lateral (
        select distinct s.user_id, s.kind, s.metric, s.local_date from resolved_record s, renewal w
        where s.tenant_id = $1 and s.environment = $2 and s.user_id = p.id and s.metric = w.metric and s.local_date >= w.from_date
          and s.kind in ('daily', 'session', 'measurement', 'series')) d on true) on true`,
    values: [tenantId, environment, users],
  });
  const [first] = rows;
  if (first === undefined) return undefined;
  const days = rows.flatMap(({ userId, kind, metric, localDate }) => (userId === null ? [] : [{ userId, kind, metric, localDate }]));
  return { id: first.id, days, lastUser: first.lastUser ?? undefined };
}
