export interface ConnectionRow {
  readonly id: string;
  readonly userId: string;
  readonly provider: string;
  readonly providerAppId: string;
  readonly status: 'active' | 'reauth_required' | 'revoked' | 'disconnected';
  readonly scopes: string[];
  readonly nextSweepAt: Date | null;
  /** Collections that a sweep has read to its end, by name; RFC 3339. */
  readonly sweeps: readonly { readonly collection: string; readonly lastSweptAt: string }[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What every statement that shows connections selects `from connection c`. */
export const shownConnection = `
  c.id, c.user_id as "userId", c.provider, c.provider_app_id as "providerAppId", c.status, c.scopes, c.next_sweep_at as "nextSweepAt",
  (select coalesce(jsonb_agg(jsonb_build_object('collection', s.collection,
      'lastSweptAt', to_char(s.last_swept_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by s.collection), '[]')
    from collection_sweep s
    where s.tenant_id = c.tenant_id and s.environment = c.environment and s.connection_id = c.id) as sweeps,
  c.created_at as "createdAt", c.updated_at as "updatedAt"`;
