import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Where people of the environment may be sent back to, to the letter. */
export async function findReturnUrls(sql: Sql, { tenantId, environment }: Scope): Promise<readonly string[]> {
  const { rows } = await sql.query<{ returnUrls: string[] }>({
    name: 'connections/find-return-urls',
    text: `select return_urls as "returnUrls" from environment where tenant_id = $1 and environment = $2`,
    values: [tenantId, environment],
  });
  return rows[0]?.returnUrls ?? [];
}
