/** What every list of records may be asked; each list checks its own. */
export interface RecordQuery {
  readonly metric?: string | undefined;
  readonly provider?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly workoutId?: string | undefined;
  readonly view: 'source' | 'resolved';
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly format?: RecordFormat | undefined;
  readonly minRevision?: number | undefined;
}

export type RecordFormat = 'json' | 'csv' | 'ndjson';

/** What the query says, else what the header Accept names first. */
export function formatOf(wish: RecordFormat | undefined, accept: string | undefined): RecordFormat {
  if (wish !== undefined) return wish;
  for (const type of (accept ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase())) {
    if (type === 'text/csv') return 'csv';
    if (type === 'application/x-ndjson') return 'ndjson';
    if (type === 'application/json') return 'json';
  }
  return 'json';
}
