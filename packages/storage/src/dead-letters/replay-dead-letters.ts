import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type DeadLetterFilter, deadLetterMatches, deadLetterValues } from './dead-letter-filter.js';
import { reopenWindows } from './reopen-windows.js';

export interface ReplayedLetters {
  readonly replayed: number;
  /** With a window that is due at once. */
  readonly lanes: readonly number[];
}

/** Opens the windows of dead letters again, the oldest first. Of the bucket `unresolvable` and of those without a window never one. */
export async function replayDeadLetters(
  sql: Sql,
  { tenantId, environment }: Scope,
  filter: DeadLetterFilter,
  limit: number,
): Promise<ReplayedLetters> {
  const { rows } = await sql.query<{ replayed: number; lanes: number[] | null }>({
    name: 'dead-letters/replay-dead-letters',
    text,
    values: [tenantId, environment, ...deadLetterValues(filter), limit],
  });
  return { replayed: rows[0]?.replayed ?? 0, lanes: rows[0]?.lanes ?? [] };
}

const text = `${reopenWindows(`
    select l.*, l.normalizer_version as newer_version from dead_letter l
    where ${deadLetterMatches} and l.closed_at is null and l.connection_id is not null and l.collection is not null
      and l.bucket in ('transient', 'drift')
      and exists (
        select from connection c where c.tenant_id = $1 and c.environment = $2 and c.id = l.connection_id
          and c.status in ('active', 'reauth_required'))
    order by l.id
    limit $11`)}
  select (select count(*) from marked)::integer as replayed, (select array_agg(distinct lane) from opened where due) as lanes`;
