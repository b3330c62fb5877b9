import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface ResolvedProgress {
  /** The view holds every change up to this revision. */
  readonly upto: number;
  /** Every change up to this one is committed, and visible from now on: revisions become visible in their order. */
  readonly basis: number;
}

/** Holds the environment's progress for the rest of the transaction: one process at a time resolves for it, others wait. */
export async function holdProgress(sql: Sql, { tenantId, environment }: Scope): Promise<ResolvedProgress> {
  const { rows } = await sql.query<{ upto: number; basis: number | null }>({
    name: 'resolved/hold-progress',
    text: `
      insert into resolved_progress as p (tenant_id, environment) values ($1, $2)
      on conflict (tenant_id, environment) do update set upto = p.upto
      returning p.upto, (select last_revision from revision_counter where tenant_id = $1 and environment = $2) as basis`,
    values: [tenantId, environment],
  });
  const { upto = 0, basis } = rows[0] ?? {};
  // Whoever waited for the row may know an older counter than the one it waited for.
  return { upto, basis: Math.max(upto, basis ?? 0) };
}
