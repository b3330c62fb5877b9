import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type Retention, retentionColumns } from './retention.js';

/** @param change what is undefined stays. */
export async function saveRetention(
  sql: Sql,
  { tenantId, environment }: Scope,
  change: { readonly [Name in keyof Retention]?: Retention[Name] | undefined },
): Promise<Retention> {
  const { rows } = await sql.query<Retention & Record<string, unknown>>({
    name: 'retention/save',
    text: `
      update environment
      set body_days = coalesce($3, body_days), event_days = coalesce($4, event_days),
        record_days = case when $5 then $6::integer else record_days end
      where tenant_id = $1 and environment = $2
      returning ${retentionColumns}`,
    values: [
      tenantId,
      environment,
      change.bodyDays ?? null,
      change.eventDays ?? null,
      change.recordDays !== undefined,
      change.recordDays ?? null,
    ],
  });
  if (rows[0] === undefined) throw new Error('There is no such environment');
  return rows[0];
}
