import { type FetchOutcome, type HealthRecord, canonicalJson } from '@tributary/domain';
import { Drift } from './drift.js';
import { contentHash } from './signature/content-id.js';

/** So many documents that are not of the known shape are named; those after them are as wrong, and their paths say nothing new. */
export const MAX_FAULTS = 20;

/** What the documents of an answer became: what could be read, and the paths of what could not, never a value. */
export interface ReadDocuments {
  readonly records: readonly HealthRecord[];
  readonly faults: readonly string[];
}

/**
 * Documents to records, each by itself: one that is not of the shape we know is a fault of its own and takes no other with it. Records get
 * the hash of their document, unless they have one already (what was made of several documents).
 * @param at path of the document with that index in its answer, ending in a dot or empty.
 * @param toRecords throws {@link Drift} naming a path. What else it throws is thrown here.
 */
export function readDocuments<Given>(
  documents: Iterable<Given>,
  at: (index: number) => string,
  toRecords: (document: Given, at: string) => readonly HealthRecord[],
): ReadDocuments {
  const records: HealthRecord[] = [];
  const faults: string[] = [];
  let index = 0;
  for (const document of documents) {
    try {
      records.push(...hashedRecords(toRecords(document, at(index)), document));
    } catch (error) {
      if (!(error instanceof Drift)) throw error;
      if (faults.length < MAX_FAULTS) faults.push(error.message);
    }
    index += 1;
  }
  return { records, faults };
}

/** Records with the hash of all that they were made from; one that has a hash keeps it. */
export function hashedRecords(records: readonly HealthRecord[], ...documents: readonly unknown[]): HealthRecord[] {
  if (records.every((record) => record.kind === 'deleted' || record.inputHash !== undefined)) return [...records];
  const inputHash = inputHashOf(documents.length === 1 ? documents[0] : documents);
  return records.map((record) => (record.kind === 'deleted' || record.inputHash !== undefined ? record : { ...record, inputHash }));
}

/** SHA-256 in hex, the same for the same content in whatever order its fields came. */
export function inputHashOf(document: unknown): string {
  return contentHash(canonicalJson(document));
}

/** How a read ends whose pages were read one after the other. `complete`: there were no more of them. */
export function recordsOutcome(reads: readonly ReadDocuments[], complete: boolean): FetchOutcome {
  const records = reads.flatMap((read) => read.records);
  const faults = reads.flatMap((read) => read.faults).slice(0, MAX_FAULTS);
  return { is: 'records', complete, records, ...(faults.length > 0 && { faults }) };
}
