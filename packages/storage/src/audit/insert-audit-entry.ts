import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface AuditEntry extends Scope {
  readonly id: string;
  /** The id of the API key, `consent` for a person at the callback, or `upkeep` for the worker's care of subscriptions. */
  readonly actor: string;
  /** `<thing>.<verb>`, e.g. `endpoint.create`. */
  readonly action: string;
  /** Our own id of what was changed. */
  readonly target: string | undefined;
  readonly requestId: string;
}

export async function insertAuditEntry(sql: Sql, entry: AuditEntry): Promise<void> {
  await sql.query({
    name: 'insert-audit-entry',
    text: `
      insert into audit_log (tenant_id, environment, id, actor, action, target, request_id)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [entry.tenantId, entry.environment, entry.id, entry.actor, entry.action, entry.target ?? null, entry.requestId],
  });
}
