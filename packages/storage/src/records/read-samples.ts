import type { Samples, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { Owned, RecordKey } from './record-row.js';
import { ownedKeyArrays, ownedKeyList, ownedKeyMatch, ownedKeyParameters, seriesTable } from './record-table.js';

/** The samples that these series hold now, at the places of their keys. */
export async function readSamples(
  sql: Sql,
  { tenantId, environment }: Scope,
  keys: readonly Owned<RecordKey>[],
): Promise<(Samples | undefined)[]> {
  const samples = new Array<Samples | undefined>(keys.length).fill(undefined);
  if (keys.length === 0) return samples;
  type Row = { k: number; from: Date; offsetsS: number[]; values: number[]; intervalS: number | null };
  const { rows } = await sql.query<Row>({
    name: 'records/read-samples',
    text: `
      select k.k::int4, r.samples_from as "from", r.offsets_s as "offsetsS", r.sample_values as "values", r.interval_s as "intervalS"
      from unnest(${ownedKeyParameters(seriesTable, 3)}) with ordinality as k (${ownedKeyList(seriesTable)}, k)
      join series_day r on ${ownedKeyMatch(seriesTable, 'r', 'k')}`,
    values: [tenantId, environment, ...ownedKeyArrays(seriesTable, keys)],
  });
  for (const { k, from, offsetsS, values, intervalS } of rows) {
    samples[k - 1] = { from: from.toISOString(), offsetsS, values, intervalS: intervalS ?? undefined };
  }
  return samples;
}
