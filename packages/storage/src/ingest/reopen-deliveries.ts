import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

export interface RepeatedDelivery extends Scope {
  readonly key: Buffer;
}

/**
 * Repeats of deliveries whose key two real changes may share. To a connection of which every notice was worked (or is being read at this
 * moment, so that the read may have missed the second change) it is news: its notices wait again. While any of its own still waits to be
 * read, it is a duplicate; those of another, whose grant may have ended, hold up nobody.
 * @returns in the order given, whether it was opened again. Two at once: one of them opens it.
 */
export async function reopenDeliveries(sql: Sql, repeated: readonly RepeatedDelivery[]): Promise<boolean[]> {
  const { rows } = await sql.query<{ n: string }>({
    name: 'ingest/reopen-deliveries',
    text,
    values: [
      pgArray(
        'uuid',
        repeated.map(({ key }) => key),
      ),
      pgArray(
        'text',
        repeated.map(({ tenantId }) => tenantId),
      ),
      pgArray(
        'text',
        repeated.map(({ environment }) => environment),
      ),
    ],
  });
  const opened = new Set(rows.map(({ n }) => Number(n)));
  return repeated.map((_, at) => opened.has(at + 1));
}

// A row that another transaction has opened meanwhile fails \`status <> 'received'\` when it is looked at again, and is left alone.
const text = `
  with asked as materialized (
    select * from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as a (delivery_key, tenant_id, environment, n)
  ), told as materialized (
    select a.n, o.delivery_key, o.period, o.ordinal, o.connection_id, o.tenant_id, o.environment,
      o.status = 'received' or (o.status = 'windowed' and not exists (
        select 1 from fetch_window w
        where w.tenant_id = o.tenant_id and w.environment = o.environment and w.connection_id = o.connection_id
          and w.collection = o.collection and w.window_kind = o.window_kind and w.window_start = o.window_start
          and w.window_end = o.window_end and w.state = 'fetching')) as waits
    from asked a
    join webhook_notice o on o.delivery_key = a.delivery_key and o.tenant_id = a.tenant_id and o.environment = a.environment and o.reopenable
  ), alive as materialized (
    select c.tenant_id, c.environment, c.id from connection c
    where (c.tenant_id, c.environment, c.id) in (select tenant_id, environment, connection_id from told)
      and c.status in ('active', 'reauth_required')
    order by c.id
    for key share
  ), opened as (
    update webhook_notice o set status = 'received', received_at = now()
    from told t
    join alive c on c.tenant_id = t.tenant_id and c.environment = t.environment and c.id = t.connection_id
    where o.delivery_key = t.delivery_key and o.period = t.period and o.ordinal = t.ordinal and o.connection_id = t.connection_id
      and o.tenant_id = t.tenant_id and o.environment = t.environment and o.reopenable and o.status <> 'received'
      and (t.n, t.connection_id) not in (select n, connection_id from told where waits)
    returning t.n
  )
  select distinct n from opened`;
