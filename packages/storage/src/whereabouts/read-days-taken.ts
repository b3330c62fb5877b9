import type { DateBasis, Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { RecordOwner } from '../records/record-row.js';
import type { Sql } from '../sql.js';

/** A day of a daily value that has a row already. */
export interface DayTaken {
  readonly metric: string;
  readonly sourceId: string;
  readonly localDate: string;
  readonly version: number;
  readonly deleted: boolean;
  readonly dateBasis: DateBasis;
}

/** Which of these days of these daily values have a row. */
export async function readDaysTaken(
  sql: Sql,
  owner: Scope & RecordOwner,
  days: readonly Pick<DayTaken, 'metric' | 'sourceId' | 'localDate'>[],
): Promise<DayTaken[]> {
  const { rows } = await sql.query<DayTaken & Record<string, unknown>>({
    name: 'whereabouts/read-days-taken',
    text: `
      select r.metric, r.source_id as "sourceId", r.local_date as "localDate", r.version, r.deleted, r.date_basis as "dateBasis"
      from unnest($5::text[], $6::text[], $7::text[]) as k (metric, source_id, day)
      join daily_rollup r on r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
        and r.metric = k.metric and r.local_date = k.day::date and r.source_id = k.source_id`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      pgArray(
        'text',
        days.map(({ metric }) => metric),
      ),
      pgArray(
        'text',
        days.map(({ sourceId }) => sourceId),
      ),
      pgArray(
        'text',
        days.map(({ localDate }) => localDate),
      ),
    ],
  });
  return rows;
}
