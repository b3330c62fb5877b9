import type { Sql } from '../sql.js';
import { type SentDelivery, noticeParameters, targetsOf } from './targets-of-notices.js';

/**
 * Repeats whose key two real changes may share, once more for those who were not connected when the delivery first came: each of their
 * connections that has no notice of it gets one.
 * @returns in the order given, whether somebody was told. Two at once: one of them tells.
 */
export async function tellConnections(sql: Sql, repeated: readonly SentDelivery[]): Promise<boolean[]> {
  const { rows } = await sql.query<{ i: number }>({ name: 'ingest/tell-connections', text, values: noticeParameters(repeated) });
  const told = new Set(rows.map(({ i }) => i));
  return repeated.map((_, i) => told.has(i));
}

// Notices have no unique key: the count of their delivery, which another transaction that told them has changed meanwhile, stands for one.
const text = `
  with ${targetsOf(1)}
  , missing as materialized (
    select t.*, d.period, d.notices as held
    from target t
    join webhook_delivery d on d.delivery_key = t.delivery_key and d.tenant_id = t.tenant_id and d.environment = t.environment
      and d.period between webhook_period(now()) - 1 and webhook_period(now())
    where t.reopenable and not exists (
      select 1 from webhook_notice o
      where o.delivery_key = t.delivery_key and o.tenant_id = t.tenant_id and o.environment = t.environment and o.ordinal = t.ordinal
        and o.connection_id = t.connection_id and o.reopenable)
  ), counted as (
    update webhook_delivery d set notices = d.notices + m.notices
    from (
      select delivery_key, tenant_id, environment, period, held, count(*)::integer as notices from missing group by 1, 2, 3, 4, 5
    ) m
    where d.delivery_key = m.delivery_key and d.tenant_id = m.tenant_id and d.environment = m.environment and d.period = m.period
      and d.notices = m.held
    returning d.delivery_key
  ), told as (
    insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, period, version, reopenable,
      kind, collection, window_kind, window_start, window_end, carried)
    select m.tenant_id, m.environment, m.provider_app_id, m.delivery_key, m.ordinal, m.connection_id, m.period, m.version, m.reopenable,
      m.kind, m.collection, m.window_kind, m.window_start, m.window_end, m.carried
    from missing m
    where m.delivery_key in (select delivery_key from counted)
  )
  select distinct i from missing where delivery_key in (select delivery_key from counted)`;
