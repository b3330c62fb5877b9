import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type ConnectionRow, shownConnection } from './shown-connection.js';

export interface ConnectionFilter {
  /** Undefined: of every user. */
  readonly userId: string | undefined;
  readonly after: string;
  readonly limit: number;
}

export async function listConnections(sql: Sql, { tenantId, environment }: Scope, filter: ConnectionFilter): Promise<ConnectionRow[]> {
  const { rows } = await sql.query<ConnectionRow & Record<string, unknown>>({
    name: 'list-connections',
    text: `
      select ${shownConnection}
      from connection c
      where c.tenant_id = $1 and c.environment = $2 and c.id > $3 and ($4::text is null or c.user_id = $4)
      order by c.id limit $5`,
    values: [tenantId, environment, filter.after, filter.userId ?? null, filter.limit],
  });
  return rows;
}
