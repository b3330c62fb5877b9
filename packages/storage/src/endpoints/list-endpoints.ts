import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type EndpointRow, endpointColumns } from './endpoint-row.js';

export async function listEndpoints(sql: Sql, { tenantId, environment }: Scope, after: string, limit: number): Promise<EndpointRow[]> {
  const { rows } = await sql.query<EndpointRow & Record<string, unknown>>({
    name: 'list-endpoints',
    text: `
      select ${endpointColumns}
      from endpoint e where tenant_id = $1 and environment = $2 and id > $3
      order by id limit $4`,
    values: [tenantId, environment, after, limit],
  });
  return rows;
}
