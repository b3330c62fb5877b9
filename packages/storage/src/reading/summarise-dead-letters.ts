import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface DeadLetterGroup {
  readonly bucket: 'transient' | 'drift' | 'unresolvable';
  readonly provider: string;
  readonly code: string;
  readonly usersAffected: number;
  readonly open: number;
  readonly oldestAt: Date;
}

export interface DeadLetterSummary {
  /** How many people look at a wrong day; one with several letters counts once. */
  readonly usersAffected: number;
  readonly groups: readonly DeadLetterGroup[];
}

/** What is open now, in groups; the largest first. */
export async function summariseDeadLetters(sql: Sql, { tenantId, environment }: Scope): Promise<DeadLetterSummary> {
  const { rows } = await sql.query<DeadLetterGroup & { readonly whole: boolean } & Record<string, unknown>>({
    name: 'summarise-dead-letters',
    text: `
      select bucket, provider, code, count(distinct user_id)::integer as "usersAffected", count(*)::integer as open,
        min(opened_at) as "oldestAt", grouping(bucket) = 1 as whole
      from dead_letter where tenant_id = $1 and environment = $2 and closed_at is null
      group by grouping sets ((bucket, provider, code), ())
      order by whole desc, open desc, bucket, provider, code`,
    values: [tenantId, environment],
  });
  return {
    usersAffected: rows.find(({ whole }) => whole)?.usersAffected ?? 0,
    groups: rows
      .filter(({ whole }) => !whole)
      .map(({ bucket, provider, code, usersAffected, open, oldestAt }) => ({ bucket, provider, code, usersAffected, open, oldestAt })),
  };
}
