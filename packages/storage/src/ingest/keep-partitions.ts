import type { Sql } from '../sql.js';

/** Days of one partition of deliveries and notices; the one that fills and the one before it are looked in for repeats. */
export const WEBHOOK_PERIOD_DAYS = 9;

export interface KeptPartitions {
  readonly made: number;
  readonly dropped: number;
  /** Old enough to go, but a notice in them was never filed: somebody should look why. */
  readonly keptWaiting: number;
}

/**
 * Makes the partitions of deliveries and notices that will be needed and drops those that are not needed any more. Safe to call from
 * several processes: all but one do nothing.
 */
export async function keepPartitions(sql: Sql): Promise<KeptPartitions> {
  const { rows } = await sql.query<{ made: number; dropped: number; kept_waiting: number }>({
    name: 'ingest/keep-partitions',
    text: 'select made, dropped, kept_waiting from keep_webhook_partitions()',
    values: [],
  });
  const row = rows[0] as (typeof rows)[0];
  return { made: row.made, dropped: row.dropped, keptWaiting: row.kept_waiting };
}
