import type { HeldState, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type GateRow, gateFields, stateOf } from './gate-columns.js';
import type { Owned, RecordKey } from './record-row.js';
import { type RecordTable, ownedKeyArrays, ownedKeyList, ownedKeyMatch, ownedKeyParameters } from './record-table.js';

/** How the row of one key stands. */
export interface Standing {
  readonly localDate: string;
  readonly providerRecordId: string;
  readonly state: HeldState;
}

/**
 * How the rows of these keys stand, at the places of their keys; undefined where there is no row. Nothing is locked: whoever writes takes
 * {@link lockPeople} first. Key by key: where the statistics know nothing of a tenant, a join reads all that its environment holds.
 */
export async function readHeld(
  sql: Sql,
  table: RecordTable,
  { tenantId, environment }: Scope,
  keys: readonly Owned<RecordKey>[],
): Promise<(Standing | undefined)[]> {
  const standing = new Array<Standing | undefined>(keys.length).fill(undefined);
  if (keys.length === 0) return standing;
  const { rows } = await sql.query<GateRow & { k: number; b: string; q: string }>({
    name: `records/read-${table.name}`,
    text: `
      select k.k::int4, r.local_date as b, r.provider_record_id as q, ${gateFields}
      from unnest(${ownedKeyParameters(table, 3)}) with ordinality as k (${ownedKeyList(table)}, k)
      cross join lateral (select * from ${table.name} t where ${ownedKeyMatch(table, 't', 'k')} limit 1) r`,
    values: [tenantId, environment, ...ownedKeyArrays(table, keys)],
  });
  for (const row of rows) standing[row.k - 1] = { localDate: row.b, providerRecordId: row.q, state: stateOf(row) };
  return standing;
}
