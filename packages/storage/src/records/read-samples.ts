import type { Samples } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { RecordKey, RecordOwner } from './record-row.js';
import { keyArrays, keyFields, keyMatch, keyParameters, recordTables, rowName } from './record-table.js';

/** The samples that these series hold now, by the names of their rows. */
export async function readSamples(sql: Sql, owner: RecordOwner, keys: readonly RecordKey[]): Promise<ReadonlyMap<string, Samples>> {
  const table = recordTables.find(({ name }) => name === 'series_day');
  if (keys.length === 0 || table === undefined) return new Map();
  type Row = Omit<RecordKey, 'table'> & { from: Date; offsetsS: number[]; values: number[]; intervalS: number | null };
  const { rows } = await sql.query<Row & Record<string, unknown>>({
    name: 'records/read-samples',
    text: `
      select ${keyFields(table, 'r.')}, r.samples_from as "from", r.offsets_s as "offsetsS", r.sample_values as "values",
        r.interval_s as "intervalS"
      from unnest(${keyParameters(table, 5)}) as k (metric, source_id, item)
      join series_day r on r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
        and ${keyMatch(table, 'r', 'k')}`,
    values: [owner.tenantId, owner.environment, owner.userId, owner.provider, ...keyArrays(table, keys)],
  });
  return new Map(
    rows.map(({ from, offsetsS, values, intervalS, ...key }) => [
      rowName({ ...key, table: table.name }),
      { from: from.toISOString(), offsetsS, values, intervalS: intervalS ?? undefined },
    ]),
  );
}
