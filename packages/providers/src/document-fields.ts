import { offsetOfText } from '@tributary/domain';
import { Drift } from './drift.js';

/** A JSON object of a provider's answer: fields that nobody documented pass unread. */
export type Document = Readonly<Record<string, unknown>>;

// Each reader takes the path of the document in its answer, ending in a dot or empty; a complaint names the path and never the value.
// A field that is absent or null was not measured, and is never 0.

/** @throws Drift */
export function readDocument(value: unknown, at: string): Document {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Drift(`${at.replace(/\.$/, '') || 'body'} is no object`);
  return value as Document;
}

/** @throws Drift */
export function readId(document: Document, at: string): string {
  const id = document['id'];
  if (typeof id !== 'string' || id === '') throw new Drift(`${at}id is no text`);
  return id;
}

/** @throws Drift */
export function readText(document: Document, field: string, at: string): string | undefined {
  const value = document[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new Drift(`${at}${field} is no text`);
  return value;
}

/** @throws Drift */
export function readNumber(document: Document, field: string, at: string): number | null {
  const value = document[field];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Drift(`${at}${field} is no number`);
  return value;
}

/** An instant in RFC 3339 that carries its offset. @throws Drift */
export function readInstant(document: Document, field: string, at: string): { readonly ms: number; readonly offsetS: number } {
  const text = readText(document, field, at) ?? '';
  const offsetS = offsetOfText(text);
  const ms = Date.parse(text);
  if (offsetS === undefined || Number.isNaN(ms)) throw new Drift(`${at}${field} is no instant with an offset`);
  return { ms, offsetS };
}
