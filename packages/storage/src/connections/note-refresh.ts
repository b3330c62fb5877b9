import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Notes that somebody asked for a fresh read. @returns milliseconds until they may ask again, when that was less than `pauseMs` ago. */
export async function noteRefresh(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  pauseMs: number,
): Promise<{ readonly waitMs: number }> {
  const { rows } = await sql.query<{ waitMs: number }>({
    name: 'connections/note-refresh',
    text: `
      with was as (
        select refreshed_at from connection where tenant_id = $1 and environment = $2 and id = $3 for no key update
      ), noted as (
        update connection c set refreshed_at = clock_timestamp() from was
        where c.tenant_id = $1 and c.environment = $2 and c.id = $3
          and (was.refreshed_at is null or was.refreshed_at <= clock_timestamp() - $4 * interval '1 millisecond')
        returning 1
      )
      select case when exists (select from noted) then 0
        else greatest(1, ceil(extract(epoch from was.refreshed_at - clock_timestamp()) * 1000 + $4))::float8 end as "waitMs" from was`,
    values: [tenantId, environment, connectionId, pauseMs],
  });
  return { waitMs: rows[0]?.waitMs ?? 0 };
}
