/** Columns of `recovery r` as a `RecoveryRow`. */
export const shownRecovery = `
  r.tenant_id as "tenantId", r.environment, r.id, r.kind, r.endpoint_id as "endpointId", r.event_types as "eventTypes", r.user_ids as "userIds",
  r.providers, r.metrics, r.states, r.by_filters as "byFilters", r.from_at as "from", r.to_at as "to", r.reached,
  r.to_revision as "toRevision", r.state, r.total, r.queued, r.created_at as "createdAt", r.ended_at as "endedAt",
  (select p.status from endpoint p where p.tenant_id = r.tenant_id and p.environment = r.environment and p.id = r.endpoint_id)
    as "endpointStatus"`;

/** A row as it comes from the database: what is absent is null. */
export type ShownRecovery<R> = { [K in keyof R]: undefined extends R[K] ? Exclude<R[K], undefined> | null : R[K] } & Record<
  string,
  unknown
>;
