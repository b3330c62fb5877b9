import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { recoveryOf } from './recovery-of.js';
import type { RecoveryRow } from './recovery.js';
import { type ShownRecovery, shownRecovery } from './shown-recovery.js';

export interface RecoveryFilter {
  readonly endpointId: string | undefined;
  readonly state: string | undefined;
  /** Lowest id of the last page. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listRecoveries(sql: Sql, { tenantId, environment }: Scope, filter: RecoveryFilter): Promise<RecoveryRow[]> {
  const { rows } = await sql.query<ShownRecovery<RecoveryRow>>({
    name: 'recoveries/list-recoveries',
    text: `
      select ${shownRecovery} from recovery r
      where r.tenant_id = $1 and r.environment = $2 and ($3::text is null or r.endpoint_id = $3) and ($4::text is null or r.state = $4)
        and ($5::text is null or r.id < $5)
      order by r.id desc
      limit $6`,
    values: [tenantId, environment, filter.endpointId ?? null, filter.state ?? null, filter.before ?? null, filter.limit],
  });
  return rows.map(recoveryOf);
}
