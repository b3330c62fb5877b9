import type { Scope, Version } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * Which of these documents were read by themselves after `readVersion`. What a wider, slower read shows of them is old, also where
 * the newer one found nothing and so left no row to compare with.
 */
export async function findNewerReads(
  sql: Sql,
  { tenantId, environment }: Scope,
  {
    connectionId,
    collection,
    documents,
    readVersion,
  }: {
    connectionId: string;
    collection: string;
    documents: readonly string[];
    readVersion: Version;
  },
): Promise<Set<string>> {
  const { rows } = await sql.query<{ window_start: string }>({
    name: 'windows/find-newer-reads',
    text: `
      select window_start from fetch_window
      where tenant_id = $1 and environment = $2 and connection_id = $3 and collection = $4 and window_kind = 'object'
        and window_start = any($5::text[]) and read_version > $6`,
    values: [tenantId, environment, connectionId, collection, pgArray('text', documents), readVersion],
  });
  return new Set(rows.map((row) => row.window_start));
}
