import type { NoticeKind, Scope, Version, WindowKind } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { LeasedWindow } from './window-key.js';

/** A window that is ours until its lease ends, and all that reading it needs to know. */
export interface ClaimedWindow extends LeasedWindow {
  readonly priority: number;
  readonly expects: NoticeKind;
  /** What the notices had asked for when it was claimed: a success covers that much. */
  readonly requestedVersion: Version | undefined;
  readonly attempts: number;
  readonly contradictions: number;
  /** The backfill that waits for it. */
  readonly backfillId: string | undefined;
  /** Microseconds since the epoch by the database's clock, the same for every process. */
  readonly claimedAt: Version;
  readonly connectionStatus: string;
  readonly userId: string;
  readonly externalId: string;
  readonly provider: string;
  readonly providerAppId: string;
  readonly clientId: string;
  /** The last part of the address at which ingest takes this app's webhooks. */
  readonly appKey: string;
  readonly sandbox: boolean;
  readonly accessToken: Buffer | undefined;
  /** Epoch milliseconds. */
  readonly tokenExpiresAt: number | undefined;
}

interface Row {
  connection_id: string;
  collection: string;
  window_kind: WindowKind;
  window_start: string;
  window_end: string;
  lease_token: string;
  priority: number;
  expects: NoticeKind;
  requested_version: number | null;
  attempts: number;
  contradictions: number;
  backfill_id: string | null;
  claimed_at: number;
  status: string;
  user_id: string;
  external_id: string;
  provider: string;
  provider_app_id: string;
  client_id: string;
  app_key: string;
  sandbox: boolean;
  access_token: Buffer | null;
  token_expires_at: Date | null;
}

export interface ClaimSize {
  readonly limit: number;
  readonly leaseMs: number;
}

/**
 * Takes the most urgent due windows of one lane for `leaseMs`. `due_at` is also the end of the lease: what a killed process held is
 * due again by itself.
 */
export async function claimWindows(
  sql: Sql,
  lane: Scope & { readonly lane: number },
  { limit, leaseMs }: ClaimSize,
): Promise<ClaimedWindow[]> {
  const { rows } = await sql.query<Row>({
    name: 'windows/claim-windows',
    text,
    values: [lane.tenantId, lane.environment, lane.lane, limit, leaseMs],
  });
  return rows.map((row) => ({
    tenantId: lane.tenantId,
    environment: lane.environment,
    connectionId: row.connection_id,
    collection: row.collection,
    windowKind: row.window_kind,
    windowStart: row.window_start,
    windowEnd: row.window_end,
    leaseToken: row.lease_token,
    priority: row.priority,
    expects: row.expects,
    requestedVersion: row.requested_version ?? undefined,
    attempts: row.attempts,
    contradictions: row.contradictions,
    backfillId: row.backfill_id ?? undefined,
    claimedAt: row.claimed_at,
    connectionStatus: row.status,
    userId: row.user_id,
    externalId: row.external_id,
    provider: row.provider,
    providerAppId: row.provider_app_id,
    clientId: row.client_id,
    appKey: row.app_key,
    sandbox: row.sandbox,
    accessToken: row.access_token ?? undefined,
    tokenExpiresAt: row.token_expires_at?.getTime(),
  }));
}

// Priority by priority, and by the time of the statement: so each is a range of the index, and what waits for later is not even looked
// at. `clock_timestamp()` could not be a bound of an index, since it may change from row to row.
const text = `
  with due as materialized (
    select w.* from generate_series(0, 2) p (priority) cross join lateral (
      select connection_id, collection, window_kind, window_start, window_end
      from fetch_window
      where tenant_id = $1 and environment = $2 and lane = $3 and priority = p.priority and state in ('waiting', 'fetching')
        and due_at <= statement_timestamp()
      order by due_at
      limit $4
      for update skip locked) w
    limit $4
  ), claimed as (
    update fetch_window w
    set state = 'fetching', lease_token = gen_random_uuid(), fetches = w.fetches + 1,
      due_at = clock_timestamp() + $5 * interval '1 millisecond'
    from due d
    where w.tenant_id = $1 and w.environment = $2 and w.connection_id = d.connection_id and w.collection = d.collection
      and w.window_kind = d.window_kind and w.window_start = d.window_start and w.window_end = d.window_end
    returning w.*
  )
  select w.connection_id, w.collection, w.window_kind, w.window_start, w.window_end, w.lease_token, w.priority, w.expects,
    w.requested_version, w.attempts, w.contradictions, w.backfill_id, (extract(epoch from clock_timestamp()) * 1000000)::bigint as claimed_at,
    c.status, c.user_id, u.external_id, c.provider, c.provider_app_id, a.client_id, a.app_key, a.sandbox, c.access_token, c.token_expires_at
  from claimed w
  join connection c on c.tenant_id = $1 and c.environment = $2 and c.id = w.connection_id
  join app_user u on u.tenant_id = $1 and u.environment = $2 and u.id = c.user_id
  join provider_app a on a.tenant_id = $1 and a.environment = $2 and a.id = c.provider_app_id`;
