import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  /** `at` with its microseconds: where a page ended. */
  readonly place: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string | null;
  readonly requestId: string | null;
}

export interface AuditFilter {
  readonly action: string | undefined;
  readonly actor: string | undefined;
  readonly target: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Entries before this one. */
  readonly before: readonly [place: string, id: string] | undefined;
  readonly limit: number;
}

/** Newest first. `from` is included, `to` is not. */
export async function listAuditEntries(sql: Sql, { tenantId, environment }: Scope, filter: AuditFilter): Promise<AuditRow[]> {
  const { rows } = await sql.query<AuditRow & Record<string, unknown>>({
    name: 'list-audit-entries',
    text: `
      select id, at, at::text as place, actor, action, target, request_id as "requestId"
      from audit_log
      where tenant_id = $1 and environment = $2
        and ($3::text is null or action = $3) and ($4::text is null or actor = $4) and ($5::text is null or target = $5)
        and at >= coalesce($6::timestamptz, '-infinity') and at < coalesce($7::timestamptz, 'infinity')
        and (at, id) < (coalesce($8::timestamptz, 'infinity'), coalesce($9::text, ''))
      order by at desc, id desc limit $10`,
    values: [
      tenantId,
      environment,
      filter.action ?? null,
      filter.actor ?? null,
      filter.target ?? null,
      filter.from ?? null,
      filter.to ?? null,
      filter.before?.[0] ?? null,
      filter.before?.[1] ?? null,
      filter.limit,
    ],
  });
  return rows;
}
