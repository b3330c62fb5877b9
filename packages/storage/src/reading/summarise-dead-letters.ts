import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface DeadLetterSummary {
  /** How many people look at a wrong day. */
  readonly usersAffected: number;
  readonly open: number;
  readonly transient: number;
  readonly drift: number;
  readonly unresolvable: number;
}

export async function summariseDeadLetters(sql: Sql, { tenantId, environment }: Scope): Promise<DeadLetterSummary> {
  const { rows } = await sql.query<DeadLetterSummary & Record<string, unknown>>({
    name: 'summarise-dead-letters',
    text: `
      select count(distinct user_id)::int as "usersAffected", count(*)::int as open,
        count(*) filter (where bucket = 'transient')::int as transient,
        count(*) filter (where bucket = 'drift')::int as drift,
        count(*) filter (where bucket = 'unresolvable')::int as unresolvable
      from dead_letter where tenant_id = $1 and environment = $2 and closed_at is null`,
    values: [tenantId, environment],
  });
  return rows[0] as DeadLetterSummary;
}
