import { type Source, isCivilDay } from '@tributary/domain';
import { readDocument, readText } from '../document-fields.js';
import { Drift } from '../drift.js';

/** Oura merges whatever rings a person wears into one stream; the ring's own id would change with a new ring. */
export const ring: Source = { id: 'src_oura_ring', type: 'ring', manufacturer: 'Oura', model: undefined };

/** @throws Drift */
export function readList(value: unknown): { readonly data: readonly unknown[]; readonly nextToken: string | undefined } {
  const list = readDocument(value, '');
  if (!Array.isArray(list['data'])) throw new Drift('data is no list');
  const token = readText(list, 'next_token', '');
  return { data: list['data'], nextToken: token === '' ? undefined : token };
}

/** The civil day that a document files itself under. @throws Drift */
export function readDay(value: unknown, at: string): string {
  const day = readDocument(value, at)['day'];
  if (typeof day !== 'string' || !isCivilDay(day)) throw new Drift(`${at}day is no civil day`);
  return day;
}
