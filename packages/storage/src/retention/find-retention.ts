import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type Retention, retentionColumns } from './retention.js';

export async function findRetention(sql: Sql, { tenantId, environment }: Scope): Promise<Retention> {
  const { rows } = await sql.query<Retention & Record<string, unknown>>({
    name: 'retention/find',
    text: `select ${retentionColumns} from environment where tenant_id = $1 and environment = $2`,
    values: [tenantId, environment],
  });
  if (rows[0] === undefined) throw new Error('There is no such environment');
  return rows[0];
}
