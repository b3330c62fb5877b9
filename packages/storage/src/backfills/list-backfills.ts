import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type BackfillRow, backfillJoins, shownBackfill } from './shown-backfill.js';

export interface BackfillFilter {
  /** Undefined: of every one. */
  readonly connectionId: string | undefined;
  readonly state: string | undefined;
  /** Lowest id of the last page. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listBackfills(sql: Sql, { tenantId, environment }: Scope, filter: BackfillFilter): Promise<BackfillRow[]> {
  const { rows } = await sql.query<BackfillRow & Record<string, unknown>>({
    name: 'backfills/list-backfills',
    text: `
      select ${shownBackfill} from backfill b ${backfillJoins}
      where b.tenant_id = $1 and b.environment = $2 and ($3::text is null or b.connection_id = $3)
        and ($4::text is null or b.state = $4) and ($5::text is null or b.id < $5)
      order by b.id desc
      limit $6`,
    values: [tenantId, environment, filter.connectionId ?? null, filter.state ?? null, filter.before ?? null, filter.limit],
  });
  return rows;
}
