import type { Scope, Source } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { gateColumns } from './gate-columns.js';
import type { Owned, Removed, Revised } from './record-row.js';
import { type RecordTable, ownedKeyArrays, ownedKeyList, ownedKeyMatch, ownedKeyParameters, sortRows } from './record-table.js';

/**
 * Marks these rows as gone, each only over an older version. The row stays, so that an older read cannot bring it back.
 * @returns by revision, whose source the rows were of; one that is missing: somebody wrote beside us.
 */
export async function removeRows(
  sql: Sql,
  table: RecordTable,
  { tenantId, environment }: Scope,
  rows: readonly Owned<Revised<Removed>>[],
): Promise<ReadonlyMap<number, Source>> {
  if (rows.length === 0) return new Map();
  const sorted = sortRows(table, rows);
  const names = gateColumns.map(({ name }) => name);
  const own = 3;
  const gate = own + table.key.length + 2;
  const { rows: written } = await sql.query<{ revision: number; source: Source }>({
    name: `records/remove-${table.name}`,
    text: `
      update ${table.name} t set deleted = true, delete_reason = k.reason, revision = k.revision, updated_at = clock_timestamp(),
        ${gateColumns.map(({ name, cast }) => `${name} = k.${name}${cast}`).join(', ')}
      from unnest(${ownedKeyParameters(table, own)}, ${gateColumns.map(({ type }, index) => `$${gate + index}::${type}[]`).join(', ')},
          $${gate + names.length}::int8[], $${gate + names.length + 1}::text[])
        as k (${ownedKeyList(table)}, ${names.join(', ')}, revision, reason)
      where ${ownedKeyMatch(table, 't', 'k')} and t.version < k.version and not t.deleted
      returning t.revision, t.source`,
    values: [
      tenantId,
      environment,
      ...ownedKeyArrays(table, sorted),
      ...gateColumns.map(({ type, of }) =>
        pgArray(
          type,
          sorted.map(({ state }) => of(state)),
        ),
      ),
      pgArray(
        'int8',
        sorted.map((row) => row.revision),
      ),
      pgArray(
        'text',
        sorted.map((row) => row.reason),
      ),
    ],
  });
  return new Map(written.map(({ revision, source }) => [revision, source]));
}
