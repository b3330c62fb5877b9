import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { RecordKey, RecordOwner } from '../records/record-row.js';
import { keyFields, keyList, recordTables, rowName } from '../records/record-table.js';
import type { Sql } from '../sql.js';
import type { Redating } from './redate-rows.js';

/** A daily value that goes to another day. `localDate` is the new one; `version` the one that it gets there. */
export type Move = Redating & { readonly from: string };

/**
 * Puts daily values under their new days: copies with all that they hold, so that the old keys can be marked as gone in the same
 * transaction. Every row is read as it stood before this statement, so values may move up, one into the place of the next.
 * @returns names of the rows that were written, by their new keys.
 */
export async function moveDailyRows(sql: Sql, owner: Scope & RecordOwner, moves: readonly Move[]): Promise<ReadonlySet<string>> {
  if (moves.length === 0) return new Set();
  const { rows } = await sql.query<Omit<RecordKey, 'table'>>({
    name: 'whereabouts/move-daily-rows',
    text,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      ...(['metric', 'from', 'sourceId'] as const).map((name) =>
        pgArray(
          'text',
          moves.map((move) => move[name]),
        ),
      ),
      pgArray('text', moves.map(patchOf)),
    ],
  });
  return new Set(rows.map((key) => rowName({ ...key, table: 'daily_rollup' })));
}

function patchOf(move: Move): string {
  return JSON.stringify({
    local_date: move.localDate,
    date_basis: move.dateBasis,
    utc_offset_s: move.utcOffsetS ?? null,
    time_zone: move.timeZone ?? null,
    tzdb: move.tzdb ?? null,
    provisional: move.provisional,
    content_hash: `\\x${move.contentHash.toString('hex')}`,
    version: move.version,
    inferred: true,
    revision: move.revision,
  });
}

const table = recordTables.find(({ name }) => name === 'daily_rollup') as (typeof recordTables)[number];

const text = `
  insert into daily_rollup as t
  select (jsonb_populate_record(r, k.patch::jsonb)).*
  from unnest($5::text[], $6::text[], $7::text[], $8::text[]) as k (metric, day, source_id, patch)
  join daily_rollup r on r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
    and r.metric = k.metric and r.local_date = k.day::date and r.source_id = k.source_id and not r.deleted
  order by k.metric, k.patch::jsonb ->> 'local_date', k.source_id
  on conflict (tenant_id, environment, user_id, provider, ${keyList(table)}) do update set
    ${table.columns.map(({ name }) => `${name} = excluded.${name}`).join(', ')},
    connection_id = excluded.connection_id, deleted = false, delete_reason = null, updated_at = clock_timestamp()
  where excluded.version > t.version
  returning ${keyFields(table, 't.')}`;
