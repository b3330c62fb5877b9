import type { Source } from '@tributary/domain';

/** What the resolver is told of a source's row. */
export interface CandidateRow {
  readonly userId: string;
  readonly localDate: string;
  readonly provider: string;
  readonly sourceId: string;
  readonly recordId: string | null;
  readonly source: Source;
  readonly coverage: number | null;
  readonly utcOffsetS: number | null;
  readonly revision: number;
}

/** `select` list of {@link CandidateRow} from a table of records called `r`, but for its `recordId`. */
export const candidateFields = `r.user_id as "userId", r.local_date as "localDate", r.provider, r.source_id as "sourceId", r.source, r.coverage,
        r.utc_offset_s as "utcOffsetS", r.revision`;
