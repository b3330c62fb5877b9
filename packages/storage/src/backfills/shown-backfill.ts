export interface BackfillPartRow {
  readonly collection: string;
  readonly state: 'running' | 'done' | 'not_permitted' | 'failed' | 'cancelled';
  /** Civil days, `to` exclusive. All of `reached` to `to` was read, or given up and counted in `daysFailed`. */
  readonly from: string;
  readonly to: string;
  readonly reached: string;
  readonly days: number;
  readonly daysDone: number;
  readonly daysFailed: number;
  readonly windowsDone: number;
  readonly windowsFailed: number;
  readonly records: number;
}

export interface BackfillRow {
  readonly id: string;
  readonly userId: string;
  readonly externalId: string;
  readonly connectionId: string;
  readonly connectionStatus: string;
  readonly provider: string;
  readonly cause: 'consent' | 'request';
  readonly state: 'running' | 'completed' | 'incomplete' | 'cancelled';
  readonly from: string;
  readonly to: string;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** By name. */
  readonly parts: readonly BackfillPartRow[];
}

/** What every statement that shows backfills selects `from backfill b`. */
export const shownBackfill = `
  b.id, b.user_id as "userId", u.external_id as "externalId", b.connection_id as "connectionId", c.status as "connectionStatus",
  b.provider, b.cause, b.state, to_char(b.from_date, 'YYYY-MM-DD') as "from", to_char(b.to_date, 'YYYY-MM-DD') as "to",
  b.created_at as "createdAt", b.ended_at as "endedAt",
  (select coalesce(jsonb_agg(jsonb_build_object('collection', p.collection, 'state', p.state,
      'from', to_char(p.from_date, 'YYYY-MM-DD'), 'to', to_char(p.to_date, 'YYYY-MM-DD'), 'reached', to_char(p.reached, 'YYYY-MM-DD'),
      'days', p.to_date - p.from_date, 'daysDone', p.to_date - p.reached - p.days_failed, 'daysFailed', p.days_failed,
      'windowsDone', p.windows_done, 'windowsFailed', p.windows_failed, 'records', p.records) order by p.collection), '[]')
    from backfill_part p
    where p.tenant_id = b.tenant_id and p.environment = b.environment and p.backfill_id = b.id) as parts`;

export const backfillJoins = `
  join connection c on c.tenant_id = b.tenant_id and c.environment = b.environment and c.id = b.connection_id
  join app_user u on u.tenant_id = b.tenant_id and u.environment = b.environment and u.id = b.user_id`;
