import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { gateColumns } from './gate-columns.js';
import type { Owned, Touched } from './record-row.js';
import { type RecordTable, ownedKeyArrays, ownedKeyList, ownedKeyMatch, ownedKeyParameters, sortRows } from './record-table.js';

/**
 * Keeps what the gate learned of rows whose content stays: seen again, later; in doubt; to be settled. No revision: nobody is told.
 * @returns how many; fewer than given: somebody wrote beside us.
 */
export async function touchRows(
  sql: Sql,
  table: RecordTable,
  { tenantId, environment }: Scope,
  rows: readonly Owned<Touched>[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const sorted = sortRows(table, rows);
  const names = gateColumns.map(({ name }) => name);
  const own = 3;
  const gate = own + table.key.length + 2;
  const { rowCount } = await sql.query({
    name: `records/touch-${table.name}`,
    text: `
      update ${table.name} t set ${gateColumns.map(({ name, cast }) => `${name} = k.${name}${cast}`).join(', ')},
        provider_record_id = k.provider_record_id, collection = coalesce(k.collection, t.collection)
      from unnest(${ownedKeyParameters(table, own)}, ${gateColumns.map(({ type }, index) => `$${gate + index}::${type}[]`).join(', ')},
          $${gate + names.length}::text[], $${gate + names.length + 1}::text[])
        as k (${ownedKeyList(table)}, ${names.join(', ')}, provider_record_id, collection)
      where ${ownedKeyMatch(table, 't', 'k')} and t.version <= k.version`,
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
        'text',
        sorted.map((row) => row.providerRecordId),
      ),
      pgArray(
        'text',
        sorted.map((row) => row.collection),
      ),
    ],
  });
  return rowCount ?? 0;
}
