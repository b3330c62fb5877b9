import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type EndpointRow, endpointColumns } from './endpoint-row.js';

export async function findEndpoint(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<EndpointRow | undefined> {
  const { rows } = await sql.query<EndpointRow & Record<string, unknown>>({
    name: 'find-endpoint',
    text: `
      select ${endpointColumns}
      from endpoint e where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
