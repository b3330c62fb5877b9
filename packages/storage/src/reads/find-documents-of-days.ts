import type { Sql } from '../sql.js';
import { recordTables } from '../records/record-table.js';
import type { SpanOfCollection } from './find-documents-of-span.js';

/** Documents of which we hold anything of these civil days; deleted ones left out. */
export async function findDocumentsOfDays(sql: Sql, days: SpanOfCollection): Promise<string[]> {
  const { tenantId, environment, userId, provider, connectionId, collection, from, to } = days;
  const { rows } = await sql.query<{ id: string }>({
    name: 'reads/documents-of-days',
    text,
    values: [tenantId, environment, userId, provider, connectionId, collection, from, to],
  });
  return rows.map(({ id }) => id);
}

const text = recordTables
  .map(
    ({ name }) => `
    select r.provider_record_id as id from ${name} r
    where r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
      and r.local_date >= $7::date and r.local_date < $8::date and r.connection_id = $5 and r.collection = $6 and not r.deleted`,
  )
  .join(' union ');
