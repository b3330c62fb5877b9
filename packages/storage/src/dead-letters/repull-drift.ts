import type { EnvironmentName, Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { reopenWindows } from './reopen-windows.js';

/**
 * Opens the windows of dead letters again that an older adapter could not read, of every tenant: once for each version of an adapter.
 * @param adapters those that run here, with the version of what they make of an answer
 * @returns how many, by environment
 */
export async function repullDrift(
  sql: Sql,
  adapters: readonly { readonly provider: string; readonly normalizerVersion: number }[],
  limit: number,
): Promise<(Scope & { readonly letters: number })[]> {
  const { rows } = await sql.query<{ tenant_id: string; environment: EnvironmentName; letters: number }>({
    name: 'dead-letters/repull-drift',
    text,
    values: [
      pgArray(
        'text',
        adapters.map(({ provider }) => provider),
      ),
      pgArray(
        'int4',
        adapters.map(({ normalizerVersion }) => normalizerVersion),
      ),
      limit,
    ],
  });
  return rows.map((row) => ({ tenantId: row.tenant_id, environment: row.environment, letters: row.letters }));
}

const text = `${reopenWindows(`
    select l.*, a.normalizer_version as newer_version from dead_letter l
    join unnest($1::text[], $2::int4[]) as a (provider, normalizer_version) on a.provider = l.provider
    where l.closed_at is null and l.bucket = 'drift' and l.connection_id is not null and l.normalizer_version < a.normalizer_version
      and exists (
        select from connection c where c.tenant_id = l.tenant_id and c.environment = l.environment and c.id = l.connection_id
          and c.status in ('active', 'reauth_required'))
    order by l.tenant_id, l.environment, l.id
    limit $3`)}
  select tenant_id, environment, count(*)::integer as letters from wanted group by 1, 2 order by 1, 2`;
