import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RecoveryReach, RecoveryWish } from './recovery.js';

export interface NewRecovery extends Scope, RecoveryReach, RecoveryWish {
  readonly id: string;
  readonly total: number;
}

/** Writes down what is to be sent again; its first slice may begin at once. */
export async function insertRecovery(sql: Sql, recovery: NewRecovery): Promise<void> {
  const list = (values: readonly string[] | undefined) => (values === undefined ? null : pgArray('text', values));
  await sql.query({
    name: 'recoveries/insert-recovery',
    text: `
      insert into recovery (tenant_id, environment, id, kind, endpoint_id, event_types, user_ids, providers, metrics, states, by_filters,
        from_at, to_at, reached, to_revision, total)
      values ($1, $2, $3, $4, $5, $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11, $12, $13, $14, $15, $16)`,
    values: [
      recovery.tenantId,
      recovery.environment,
      recovery.id,
      recovery.kind,
      recovery.endpointId ?? null,
      list(recovery.eventTypes),
      list(recovery.userIds),
      list(recovery.providers),
      list(recovery.metrics),
      list(recovery.states),
      recovery.byFilters,
      recovery.from,
      recovery.to,
      recovery.reached,
      recovery.toRevision,
      recovery.total,
    ],
  });
}
