import type { Scope } from '@tributary/domain';
import type { RecordFilter, Sql } from '@tributary/storage';
import type { EntryWriter } from './write-entries.js';

/** Where a list comes from and how it is shown. */
export interface ListSource<Row extends ListedRow> {
  /** Binds its cursors. */
  readonly name: string;
  /** Of how many values the place of a row is made. */
  readonly places: number;
  list(sql: Sql, scope: Scope, filter: RecordFilter & { readonly workoutId: string | undefined }): Promise<Row[]>;
  show(row: Row): object;
  /** JSON of what `show` says of each, to the byte. Left out: what `show` says is turned into JSON. */
  write?(rows: readonly Row[]): string[];
  place(row: Row): string[];
}

/** What every list needs of a row; the rest is between a list and its own `show` and `place`. */
export type ListedRow = Readonly<Record<'userId', string> & Record<'revision', number>>;

/** One kind of record, as it can be listed. */
export interface RecordList<Row extends ListedRow = ListedRow> {
  readonly source: ListSource<Row>;
  readonly resolved: ListSource<ListedRow>;
  /** Rows of one slice of a stream. */
  readonly slice: number;
  readonly csv: { readonly source: EntryWriter; readonly resolved: EntryWriter };
}
