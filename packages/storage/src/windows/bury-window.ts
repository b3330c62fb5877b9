import type { Sql } from '../sql.js';
import { type LeasedWindow, windowKeyIs, windowKeyValues } from './window-key.js';

export interface Letter {
  readonly id: string;
  readonly bucket: 'transient' | 'drift' | 'unresolvable';
  /** A stable word. */
  readonly code: string;
  /** Where the fault is, never a value. */
  readonly detail: string;
  /** Of the adapter that gave up on the answer; a newer one may read it. Undefined: 1. */
  readonly normalizerVersion?: number;
}

/**
 * The window could not be refreshed: a dead letter tells a person so, one for each window at a time. What we hold stays as it is.
 * A window that became dirty meanwhile is not given up but read again.
 * @returns whether a letter is open now.
 */
export async function buryWindow(sql: Sql, window: LeasedWindow, letter: Letter): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'windows/bury-window',
    text,
    values: [
      ...windowKeyValues(window),
      window.leaseToken,
      letter.id,
      letter.bucket,
      letter.code,
      letter.detail,
      letter.normalizerVersion ?? 1,
    ],
  });
  return rows.length > 0;
}

const text = `
  with person as materialized (
    select id, user_id, provider, provider_app_id from connection
    where tenant_id = $1 and environment = $2 and id = $3
    for key share
  ), mine as materialized (
    select w.dirty from fetch_window w, person
    where ${windowKeyIs('w')} and w.lease_token = $8
    for update of w
  ), ended as (
    update fetch_window w set
      state = case when m.dirty then 'waiting' else 'dead' end,
      due_at = case when m.dirty
        then clock_timestamp() + (select least(debounce_ms, max_wait_ms) from environment where tenant_id = $1 and environment = $2) * interval '1 millisecond'
        else w.due_at end,
      first_requested_at = case when m.dirty then clock_timestamp() else w.first_requested_at end,
      dirty = false, attempts = 0, contradictions = 0, lease_token = null, last_error = $11
    from mine m
    where ${windowKeyIs('w')}
  ), notices as (
    update webhook_notice n set status = 'dead'
    from mine m
    where not m.dirty and n.tenant_id = $1 and n.environment = $2 and n.connection_id = $3 and n.collection = $4
      and n.window_kind = $5 and n.window_start = $6 and n.window_end = $7 and n.status = 'windowed'
  )
  insert into dead_letter as l (tenant_id, environment, id, provider, provider_app_id, user_id, connection_id, collection,
    window_kind, window_start, window_end, bucket, code, detail, normalizer_version)
  select $1, $2, $9, p.provider, p.provider_app_id, p.user_id, p.id, $4, $5, $6, $7, $10, $11, $12, $13::integer
  from person p, mine m where not m.dirty
  on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end)
    where closed_at is null and connection_id is not null
  do update set bucket = excluded.bucket, code = excluded.code, detail = excluded.detail,
    normalizer_version = excluded.normalizer_version
  returning 1`;
