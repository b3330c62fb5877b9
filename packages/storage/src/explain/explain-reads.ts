import type { Sql } from '../sql.js';
import { type ExplainedPlace, isAboutRecord, placeValues } from './about-record.js';

/** One window through which the record was read, or will be. */
export interface ExplainedRead {
  readonly windowKind: string;
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly state: string;
  readonly priority: number;
  readonly notices: number;
  readonly fetches: number;
  readonly attempts: number;
  readonly contradictions: number;
  readonly dirty: boolean;
  readonly requestedVersion: number | null;
  readonly coveredVersion: number | null;
  /** Start of the newest finished read, in microseconds. */
  readonly readVersion: number | null;
  readonly lastError: string | null;
  readonly firstRequestedAt: Date;
  readonly dueAt: Date;
  readonly settledAt: Date | null;
}

/** The most recently finished first. */
export async function explainReads(sql: Sql, place: ExplainedPlace, limit: number): Promise<ExplainedRead[]> {
  const { rows } = await sql.query<ExplainedRead & Record<string, unknown>>({
    name: 'explain/reads',
    text: `
      select w.window_kind as "windowKind", w.window_start as "windowStart", w.window_end as "windowEnd", w.state, w.priority, w.notices,
        w.fetches, w.attempts, w.contradictions, w.dirty, w.requested_version as "requestedVersion",
        w.covered_version as "coveredVersion", w.read_version as "readVersion", w.last_error as "lastError",
        w.first_requested_at as "firstRequestedAt", w.due_at as "dueAt", w.settled_at as "settledAt"
      from fetch_window w
      where ${isAboutRecord('w')}
      order by w.read_version desc nulls last, w.first_requested_at desc
      limit $7`,
    values: [...placeValues(place), limit],
  });
  return rows;
}
