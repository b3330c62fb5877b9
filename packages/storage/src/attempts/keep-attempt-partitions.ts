import type { Sql } from '../sql.js';

/** Attempts are kept for so many whole days; the partition of a day goes as a whole afterwards. */
export const ATTEMPT_DAYS = 30;

export interface KeptAttemptPartitions {
  readonly made: number;
  readonly dropped: number;
}

/**
 * Makes the partitions of attempts that will be needed in the next days and drops those that were kept long enough. Safe to call from
 * several processes: all but one do nothing.
 * @param now epoch milliseconds.
 */
export async function keepAttemptPartitions(sql: Sql, now: number): Promise<KeptAttemptPartitions> {
  const { rows } = await sql.query<{ made: number; dropped: number }>({
    name: 'attempts/keep-partitions',
    text: `select made, dropped from keep_attempt_partitions(timestamptz 'epoch' + $1::float8 * interval '1 millisecond')`,
    values: [now],
  });
  return rows[0] as KeptAttemptPartitions;
}
