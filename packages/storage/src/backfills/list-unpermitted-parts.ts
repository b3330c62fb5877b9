import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { NewBackfillPart } from './insert-backfill.js';

/**
 * Of these collections, which may be read now, those whose past was asked for and not permitted then, and was not read since: as the parts
 * of another backfill, up to today.
 */
export async function listUnpermittedParts(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  permitted: readonly string[],
): Promise<NewBackfillPart[]> {
  const { rows } = await sql.query<Omit<NewBackfillPart, 'horizonDays'> & { horizonDays: number | null }>({
    name: 'backfills/list-unpermitted-parts',
    text: `
      with part as (
        select b.id, p.* from backfill b
        join backfill_part p on p.tenant_id = b.tenant_id and p.environment = b.environment and p.backfill_id = b.id
        where b.tenant_id = $1 and b.environment = $2 and b.connection_id = $3 and p.collection = any($4::text[])
      )
      select distinct on (collection) collection, true as permitted, to_char(from_date, 'YYYY-MM-DD') as "from",
        to_char((clock_timestamp() at time zone 'UTC')::date + 2, 'YYYY-MM-DD') as "to", span_days as "spanDays",
        horizon_days as "horizonDays"
      from part n
      where state = 'not_permitted'
        and not exists (select from part r where r.collection = n.collection and r.state in ('running', 'done'))
      order by collection, id desc`,
    values: [tenantId, environment, connectionId, pgArray('text', permitted)],
  });
  return rows.map(({ horizonDays, ...part }) => ({ ...part, horizonDays: horizonDays ?? undefined }));
}
