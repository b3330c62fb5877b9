import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

export async function setReturnUrls(sql: Sql, { tenantId, environment }: Scope, urls: readonly string[]): Promise<void> {
  await sql.query({
    name: 'connections/set-return-urls',
    text: `update environment set return_urls = $3::text[] where tenant_id = $1 and environment = $2`,
    values: [tenantId, environment, pgArray('text', urls)],
  });
}
