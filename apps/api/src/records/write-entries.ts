import { stringify } from 'csv-stringify/sync';
import { type Column, cellOf } from './record-columns.js';

/** Turns pages of entries into text. The first call also makes the headings. */
export interface EntryWriter {
  readonly contentType: string;
  page(entries: readonly unknown[], first: boolean): string;
}

export const ndjsonWriter: EntryWriter = {
  contentType: 'application/x-ndjson; charset=utf-8',
  page: (entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
};

/**
 * RFC 4180. Text that a spreadsheet would take for a formula gets an apostrophe before it; numbers stay numbers.
 * @param rowsOf what becomes of one entry; most are one row
 */
export function csvWriter(columns: readonly Column[], rowsOf: (entry: unknown) => readonly unknown[] = (entry) => [entry]): EntryWriter {
  const headings = columns.map((column) => column.header);
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    page: (entries, first) => {
      const rows = entries.flatMap(rowsOf).map((row) => columns.map((column) => cellOf(row, column.path)));
      return stringify(first ? [headings, ...rows] : rows, {
        escape_formulas: true,
        record_delimiter: 'windows',
        cast: { boolean: (value) => (value ? 'true' : 'false') },
      });
    },
  };
}
