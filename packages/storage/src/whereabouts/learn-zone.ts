import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * The provider's profile names this zone. The first one that is learned reaches back, since nothing better is known of before; a later
 * one counts from when it was seen. A read that began before the newest period was seen says nothing.
 * @param seenAt epoch milliseconds at the start of the read.
 * @returns whether it was news; then rows that rest on a guess may move, and the connection is marked so.
 */
export async function learnZone(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  { zone, seenAt }: { readonly zone: string; readonly seenAt: number },
): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'whereabouts/learn-zone',
    text: `
      with person as materialized (
        select 1 from connection where tenant_id = $1 and environment = $2 and id = $3 for no key update
      ), newest as materialized (
        select zone, valid_from from profile_zone
        where tenant_id = $1 and environment = $2 and connection_id = $3
        order by valid_from desc limit 1
      ), news as (
        insert into profile_zone (tenant_id, environment, connection_id, valid_from, zone)
        select $1, $2, $3, case when exists (select 1 from newest) then to_timestamp($5::float8 / 1000) else to_timestamp(0) end, $4
        from person
        where not exists (select 1 from newest where zone = $4 or valid_from >= to_timestamp($5::float8 / 1000))
        on conflict (tenant_id, environment, connection_id, valid_from) do update set zone = profile_zone.zone
        returning 1
      )
      update connection set redate_due = true
      where tenant_id = $1 and environment = $2 and id = $3 and exists (select 1 from news)
      returning 1`,
    values: [tenantId, environment, connectionId, zone, seenAt],
  });
  return rows.length > 0;
}
