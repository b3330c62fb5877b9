import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type ConnectionRow, shownConnection } from './shown-connection.js';

export async function findConnection(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<ConnectionRow | undefined> {
  const { rows } = await sql.query<ConnectionRow & Record<string, unknown>>({
    name: 'find-connection',
    text: `select ${shownConnection} from connection c where c.tenant_id = $1 and c.environment = $2 and c.id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
