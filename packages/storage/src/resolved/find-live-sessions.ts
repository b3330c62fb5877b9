import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { ResolvedKey } from './resolved-row.js';

/** Of these sessions of the view those that it shows, on whatever day. */
export async function findLiveSessions(
  sql: Sql,
  { tenantId, environment }: Scope,
  keys: readonly Pick<ResolvedKey, 'userId' | 'metric' | 'item'>[],
): Promise<Pick<ResolvedKey, 'userId' | 'metric' | 'item' | 'localDate'>[]> {
  if (keys.length === 0) return [];
  const texts = (of: (key: (typeof keys)[number]) => string) => pgArray('text', keys.map(of));
  const { rows } = await sql.query<Pick<ResolvedKey, 'userId' | 'metric' | 'item' | 'localDate'>>({
    name: 'resolved/find-live-sessions',
    text: `
      select r.user_id as "userId", r.metric, r.item, r.local_date as "localDate"
      from unnest($3::text[], $4::text[], $5::text[]) k (user_id, metric, item)
      join resolved_record r on r.tenant_id = $1 and r.environment = $2 and r.user_id = k.user_id and r.kind = 'session'
        and r.metric = k.metric and r.item = k.item and not r.deleted`,
    values: [tenantId, environment, texts((key) => key.userId), texts((key) => key.metric), texts((key) => key.item)],
  });
  return rows;
}
