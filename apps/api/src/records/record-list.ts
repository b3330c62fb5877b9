import type { Scope } from '@tributary/domain';
import type { RecordFilter, Sql } from '@tributary/storage';
import type { EntryWriter } from './write-entries.js';

/** Where a list comes from and how it is shown. */
export interface ListSource<Row extends { readonly userId: string; readonly revision: number }> {
  /** Binds its cursors. */
  readonly name: string;
  /** Of how many values the place of a row is made. */
  readonly places: number;
  list(sql: Sql, scope: Scope, filter: RecordFilter & { readonly workoutId: string | undefined }): Promise<Row[]>;
  show(row: Row): object;
  place(row: Row): string[];
}

/** One kind of record, as it can be listed. */
// Each kind has rows of its own; whoever lists one hands them back to it and looks no further.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export interface RecordList<Row extends { readonly userId: string; readonly revision: number } = any> {
  readonly source: ListSource<Row>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly resolved: ListSource<any>;
  /** Rows of one slice of a stream. */
  readonly slice: number;
  readonly csv: { readonly source: EntryWriter; readonly resolved: EntryWriter };
}
