/** One statement of an erasure. `$1` tenant, `$2` environment, `$3` user: everything else is found through the rows themselves. */
export interface Purge {
  /** What the receipt calls it, in snake case. */
  readonly name: string;
  readonly table: string;
  /** Columns of the table that name the person or hold what was said about them. */
  readonly covers: readonly string[];
  readonly text: string;
}

const connections = `(select id from connection where tenant_id = $1 and environment = $2 and user_id = $3)`;
const events = `(select id from event where tenant_id = $1 and environment = $2 and user_id = $3)`;
const sessions = `(select id from connect_session where tenant_id = $1 and environment = $2 and user_id = $3)`;
const links = `(select id from connect_link where tenant_id = $1 and environment = $2 and user_id = $3)`;

const backfills = `(select id from backfill where tenant_id = $1 and environment = $2 and user_id = $3)`;
const letters = `(select id from dead_letter where tenant_id = $1 and environment = $2 and user_id = $3)`;

/** How many notices of the person each delivery has. In two halves, since an index of its own serves each. */
export const deliveries = `(
        select delivery_key, period, count(*)::integer as notices from (
          select delivery_key, period from webhook_notice
          where tenant_id = $1 and environment = $2 and connection_id in ${connections} and status = 'received'
          union all
          select delivery_key, period from webhook_notice
          where tenant_id = $1 and environment = $2 and connection_id in ${connections} and status <> 'received'
        ) told group by delivery_key, period)`;

/**
 * Every table that can hold something of a person, in the order of purging: children before what they are found through. A test
 * reads the catalogs and fails when a column that could name a person stands in neither this list nor {@link holdsNobody}.
 */
export const purges: readonly Purge[] = [
  {
    name: 'delivery_attempt',
    table: 'delivery_attempt',
    covers: ['response_headers', 'response_body'],
    text: `delete from delivery_attempt where tenant_id = $1 and environment = $2 and event_id in ${events}`,
  },
  {
    // What is being sent stays, without a word of the person, until its sender lets go of it (take-leases-away.ts).
    name: 'event_delivery',
    table: 'event_delivery',
    covers: ['turn_of'],
    text: `
      delete from event_delivery where tenant_id = $1 and environment = $2 and event_id in ${events}
        and not (lease_token is not null and next_attempt_at > now())`,
  },
  {
    name: 'audit_log',
    table: 'audit_log',
    covers: ['target'],
    text: `
      delete from audit_log where tenant_id = $1 and environment = $2
        and (target = $3 or target in ${connections} or target in ${sessions} or target in ${links} or target in ${events} or target in ${backfills} or target in ${letters})`,
  },
  {
    // An answer that was kept names ids that are found through the rows themselves, so before them.
    name: 'kept_answer',
    table: 'kept_answer',
    covers: ['sealed_answer', 'request_hash', 'idempotency_hash'],
    text: `
      delete from kept_answer where tenant_id = $1 and environment = $2
        and (mentions @> array[$3] or mentions && array(select id from ${connections} as mine (id)
          union all select id from ${sessions} as mine (id) union all select id from ${events} as mine (id)
          union all select id from ${backfills} as mine (id) union all select id from ${letters} as mine (id)))`,
  },
  {
    name: 'event',
    table: 'event',
    covers: ['user_id', 'data'],
    text: `delete from event where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    // A list that is empty afterwards takes nobody, and never everybody.
    name: 'endpoint',
    table: 'endpoint',
    covers: ['user_ids'],
    text: `update endpoint set user_ids = array_remove(user_ids, $3) where tenant_id = $1 and environment = $2 and $3 = any (user_ids)`,
  },
  {
    // As above: what names nobody any more recovers nothing.
    name: 'recovery',
    table: 'recovery',
    covers: ['user_ids'],
    text: `update recovery set user_ids = array_remove(user_ids, $3) where tenant_id = $1 and environment = $2 and $3 = any (user_ids)`,
  },
  {
    name: 'dead_letter',
    table: 'dead_letter',
    covers: ['user_id', 'connection_id', 'window_start', 'window_end', 'body_hash'],
    text: `
      delete from dead_letter where tenant_id = $1 and environment = $2 and (user_id = $3 or connection_id in ${connections})`,
  },
  {
    // A delivery that named nobody else goes whole; found through its notices, so before them.
    name: 'webhook_delivery',
    table: 'webhook_delivery',
    covers: ['delivery_id', 'body_hash', 'raw_body'],
    text: `
      delete from webhook_delivery d using ${deliveries} mine
      where d.tenant_id = $1 and d.environment = $2 and d.delivery_key = mine.delivery_key and d.period = mine.period
        and d.notices <= mine.notices`,
  },
  {
    // One that names others too keeps its key, so that a late copy is still a duplicate, and loses its bytes.
    name: 'webhook_delivery_body',
    table: 'webhook_delivery',
    covers: ['raw_body'],
    text: `
      update webhook_delivery d set raw_body = null, notices = d.notices - mine.notices from ${deliveries} mine
      where d.tenant_id = $1 and d.environment = $2 and d.delivery_key = mine.delivery_key and d.period = mine.period`,
  },
  {
    name: 'webhook_notice',
    table: 'webhook_notice',
    covers: ['connection_id', 'window_start', 'window_end', 'carried'],
    text: `
      with waiting as (
        delete from webhook_notice where tenant_id = $1 and environment = $2 and connection_id in ${connections} and status = 'received'
        returning 1
      ), filed as (
        delete from webhook_notice where tenant_id = $1 and environment = $2 and connection_id in ${connections} and status <> 'received'
        returning 1
      )
      select from waiting union all select from filed`,
  },
  {
    name: 'backfill_part',
    table: 'backfill_part',
    covers: ['connection_id'],
    text: `delete from backfill_part where tenant_id = $1 and environment = $2 and connection_id in ${connections}`,
  },
  {
    name: 'backfill',
    table: 'backfill',
    covers: ['user_id', 'connection_id'],
    text: `delete from backfill where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'collection_sweep',
    table: 'collection_sweep',
    covers: ['connection_id'],
    text: `delete from collection_sweep where tenant_id = $1 and environment = $2 and connection_id in ${connections}`,
  },
  {
    name: 'fetch_window',
    table: 'fetch_window',
    covers: ['connection_id', 'window_start', 'window_end'],
    text: `delete from fetch_window where tenant_id = $1 and environment = $2 and connection_id in ${connections}`,
  },
  {
    name: 'profile_zone',
    table: 'profile_zone',
    covers: ['connection_id', 'zone'],
    text: `delete from profile_zone where tenant_id = $1 and environment = $2 and connection_id in ${connections}`,
  },
  {
    name: 'missing_row',
    table: 'missing_row',
    covers: ['connection_id', 'row_name'],
    text: `delete from missing_row where tenant_id = $1 and environment = $2 and connection_id in ${connections}`,
  },
  {
    name: 'daily_rollup',
    table: 'daily_rollup',
    covers: ['user_id', 'connection_id', 'source', 'content_hash', 'input_hash', 'doubt'],
    text: `delete from daily_rollup where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'session_record',
    table: 'session_record',
    covers: ['user_id', 'connection_id', 'source', 'detail', 'content_hash', 'input_hash', 'doubt'],
    text: `delete from session_record where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'measurement_record',
    table: 'measurement_record',
    covers: ['user_id', 'connection_id', 'source', 'parts', 'content_hash', 'input_hash', 'doubt'],
    text: `delete from measurement_record where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'series_day',
    table: 'series_day',
    covers: ['user_id', 'connection_id', 'source', 'sample_values', 'content_hash', 'input_hash', 'doubt'],
    text: `delete from series_day where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'resolved_record',
    table: 'resolved_record',
    covers: ['user_id', 'resolution', 'content_hash', 'computed_value'],
    text: `delete from resolved_record where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'resolved_renewal',
    table: 'resolved_renewal',
    covers: ['user_id'],
    text: `delete from resolved_renewal where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'source_priority',
    table: 'source_priority',
    covers: ['user_id', 'entries'],
    text: `delete from source_priority where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'connect_session',
    table: 'connect_session',
    covers: ['user_id', 'state_hash', 'browser_hash', 'connection_id', 'return_url'],
    text: `delete from connect_session where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'connect_link',
    table: 'connect_link',
    covers: ['user_id', 'browser_hash', 'return_url'],
    text: `delete from connect_link where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'rate_budget',
    table: 'rate_budget',
    covers: ['connection_id'],
    text: `delete from rate_budget where tenant_id = $1 and environment = $2 and connection_id in ${connections}`,
  },
  {
    name: 'connection',
    table: 'connection',
    covers: ['user_id', 'subject_id', 'access_token', 'refresh_token'],
    text: `delete from connection where tenant_id = $1 and environment = $2 and user_id = $3`,
  },
  {
    name: 'app_user',
    table: 'app_user',
    covers: ['external_id'],
    text: `delete from app_user where tenant_id = $1 and environment = $2 and id = $3`,
  },
];

/** Columns that look as if they could name a person and do not, each with its reason. */
export const holdsNobody: Readonly<Record<string, string>> = {
  'api_key.hash': 'digest of a key of the tenant',
  'provider_app_secret.sealed': 'a secret of the tenant',
  'endpoint_secret.sealed': 'a secret of the tenant',
  'subject_tombstone.subject_hash': 'keyed hash, kept on purpose: it is what keeps the person erased',
  'erasure.counts': 'table names and numbers',
  'upstream_revocation.access_token': 'sealed under its own id; deleted once the provider ended the grant',
  'upstream_revocation.subject_id': 'sealed under its own id; deleted once the provider ended the grant',
};
