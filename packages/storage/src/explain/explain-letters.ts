import type { Sql } from '../sql.js';
import { type ExplainedPlace, isAboutRecord, placeValues } from './about-record.js';

/** A read that was given up. */
export interface ExplainedLetter {
  readonly id: string;
  readonly bucket: string;
  readonly code: string;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
}

/** Newest first. */
export async function explainLetters(sql: Sql, place: ExplainedPlace, limit: number): Promise<ExplainedLetter[]> {
  const { rows } = await sql.query<ExplainedLetter & Record<string, unknown>>({
    name: 'explain/letters',
    text: `
      select l.id, l.bucket, l.code, l.opened_at as "openedAt", l.closed_at as "closedAt"
      from dead_letter l
      where ${isAboutRecord('l')}
      order by l.id desc
      limit $7`,
    values: [...placeValues(place), limit],
  });
  return rows;
}
