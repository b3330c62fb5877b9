import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** Holds these users (for key share, in their order), so that an erasure waits for us or we see that it came first. @returns who is there. */
export async function holdPeople(sql: Sql, { tenantId, environment }: Scope, userIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'resolved/hold-people',
    text: `
      select id from app_user where tenant_id = $1 and environment = $2 and id = any($3::text[])
      order by id
      for key share`,
    values: [tenantId, environment, pgArray('text', [...userIds].sort())],
  });
  return new Set(rows.map(({ id }) => id));
}
