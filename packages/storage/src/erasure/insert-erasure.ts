import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { ErasureRow } from './find-erasure.js';

export interface NewErasure extends Scope {
  readonly id: string;
  /** Of the event that tells of it. */
  readonly revision: number;
  /** Rows purged, by table. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The receipt. `requested_at` and `completed_at` are the database's clock: of the transaction's begin, and of now. */
export async function insertErasure(sql: Sql, erasure: NewErasure): Promise<ErasureRow> {
  const { rows } = await sql.query<ErasureRow & Record<string, unknown>>({
    name: 'insert-erasure',
    text: `
      insert into erasure (tenant_id, environment, id, requested_at, completed_at, counts, revision)
      values ($1, $2, $3, now(), clock_timestamp(), $4, $5)
      returning id, requested_at as "requestedAt", completed_at as "completedAt", counts`,
    values: [erasure.tenantId, erasure.environment, erasure.id, JSON.stringify(erasure.counts), erasure.revision],
  });
  return rows[0] as ErasureRow;
}
