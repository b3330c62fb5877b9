import type { Sql } from '../sql.js';
import { type ExplainedPlace, placeValues } from './about-record.js';

/** A complete read of the day lacked the record. */
export interface ExplainedAbsence {
  readonly firstLackedAt: Date;
  readonly confirmed: boolean;
}

/** @param rowName as `rowName` makes it of the record's key. */
export async function explainAbsences(sql: Sql, place: ExplainedPlace, rowName: string): Promise<ExplainedAbsence[]> {
  const { rows } = await sql.query<ExplainedAbsence & Record<string, unknown>>({
    name: 'explain/absences',
    text: `
      select sent_at as "firstLackedAt", confirmed_version is not null as confirmed
      from missing_row
      where tenant_id = $1 and environment = $2 and connection_id = $3 and collection = $4 and row_name = $7
        and $5::text is not null and $6::text is not null`,
    values: [...placeValues(place), rowName],
  });
  return rows;
}
