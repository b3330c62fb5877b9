import { type SignatureVersion } from './signature.js';
import { VerificationError } from './verification-error.js';

/** Headers in any of the shapes that servers have: `Headers`, `Map`, pairs, Node's `req.headers`, an object with `get`. */
export type HeadersInput =
  | Iterable<readonly [string, string]>
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface SignatureHeaders {
  readonly id: string;
  /** As it came: the text is signed, not the number. */
  readonly timestamp: string;
  /** Values of the entries, by their version; at least one. Entries of other versions are left out. */
  readonly signatures: Readonly<Record<SignatureVersion, readonly string[]>>;
}

/** Longer than any rotation needs; keeps a hostile header from buying work. */
const longestHeader = 4_096;

/**
 * The three headers of Standard Webhooks, by a strict grammar: `id` without dots (a dot would let id, timestamp and body trade
 * places inside the signed text), seconds without sign or fraction, entries apart by one space.
 * @throws VerificationError `missing_header`, `malformed_header`, `unsupported_version`
 */
export function readSignatureHeaders(headers: HeadersInput): SignatureHeaders {
  const read = headerReader(headers);
  const id = matching('webhook-id', read('webhook-id'), /^[A-Za-z0-9_-]{1,256}$/);
  const timestamp = matching('webhook-timestamp', read('webhook-timestamp'), /^(?:0|[1-9]\d{0,11})$/);
  const entries = matching('webhook-signature', read('webhook-signature'), /^\w+,[!-~]*(?: \w+,[!-~]*)*$/).split(' ');
  const valuesOf = (version: SignatureVersion) =>
    entries.filter((entry) => entry.startsWith(`${version},`)).map((entry) => entry.slice(version.length + 1));
  const signatures = { v1: valuesOf('v1'), v1a: valuesOf('v1a') };
  if (signatures.v1.length + signatures.v1a.length === 0) {
    throw new VerificationError('unsupported_version', 'webhook-signature has neither a `v1` nor a `v1a` entry.', {
      header: 'webhook-signature',
    });
  }
  return { id, timestamp, signatures };
}

function matching(name: string, values: readonly string[], grammar: RegExp): string {
  const [value] = values;
  if (value === undefined) throw new VerificationError('missing_header', `The request has no ${name} header.`, { header: name });
  if (values.length > 1 || value.length > longestHeader || !grammar.test(value)) {
    const defect =
      values.length > 1 ? 'comes more than once' : value.length > longestHeader ? 'is too long' : 'is not of the expected form';
    throw new VerificationError('malformed_header', `The ${name} header ${defect}.`, { header: name });
  }
  return value;
}

/** Every value of one header, whatever its case; null and undefined are no value. */
function headerReader(headers: HeadersInput): (name: string) => readonly string[] {
  if (typeof headers !== 'object' || headers === null) return () => [];
  if (Symbol.iterator in headers) return fromPairs([...(headers as Iterable<readonly [string, unknown]>)]);
  const { get } = headers as { get?: unknown };
  if (typeof get === 'function') return (name) => texts((headers as { get(name: string): unknown }).get(name));
  return fromPairs(Object.entries(headers));
}

function fromPairs(pairs: readonly (readonly [string, unknown])[]): (name: string) => readonly string[] {
  return (name) => {
    const found: string[] = [];
    for (const pair of pairs) {
      // By length first: most headers are none of ours, and their names need not be written in small letters to see it.
      if (Array.isArray(pair) && pair[0]?.length === name.length && String(pair[0]).toLowerCase() === name) found.push(...texts(pair[1]));
    }
    return found;
  };
}

/** What is neither text nor a number becomes text that no grammar fits. */
function texts(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => (typeof one === 'string' || typeof one === 'number' ? String(one) : ''));
}
