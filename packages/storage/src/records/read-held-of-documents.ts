import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type GateRow, gateFields, stateOf } from './gate-columns.js';
import type { HeldRow, RecordKey } from './record-row.js';
import { type RecordTable, keyFields, keyList } from './record-table.js';

/** A document of the provider, as a connection knows it. */
export interface HeldDocument {
  readonly connectionId: string;
  readonly providerRecordId: string;
}

/** Rows that came from these documents: all that a delete notice names. `of`: the place of the document. */
export async function readHeldOfDocuments(
  sql: Sql,
  table: RecordTable,
  { tenantId, environment }: Scope,
  documents: readonly HeldDocument[],
): Promise<(HeldRow & { readonly of: number })[]> {
  if (documents.length === 0) return [];
  const { rows } = await sql.query<GateRow & RecordKey & { k: number; b: string; q: string }>({
    name: `records/read-${table.name}-of-documents`,
    text: `
      select k.k::int4, r.local_date as b, r.provider_record_id as q, ${keyFields(table, 'r.')}, ${gateFields}
      from unnest($3::text[], $4::text[]) with ordinality as k (connection_id, provider_record_id, k)
      join ${table.name} r on r.tenant_id = $1 and r.environment = $2 and r.connection_id = k.connection_id
        and r.provider_record_id = k.provider_record_id
      order by k.k, ${keyList(table, 'r.')}`,
    values: [
      tenantId,
      environment,
      pgArray(
        'text',
        documents.map((d) => d.connectionId),
      ),
      pgArray(
        'text',
        documents.map((d) => d.providerRecordId),
      ),
    ],
  });
  return rows.map((row) => {
    const { sourceId, metric, kind, recordId, item } = row;
    const key = { table: table.name, sourceId, localDate: row.b, metric, kind, recordId, item } as RecordKey;
    return { ...key, of: row.k - 1, providerRecordId: row.q, state: stateOf(row) };
  });
}
