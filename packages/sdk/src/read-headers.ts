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
  const { get } = headers as { get?: unknown };
  const iterable = Symbol.iterator in headers;
  if (!iterable && typeof get === 'function') return (name) => texts((headers as { get(name: string): unknown }).get(name));
  // No prototype: a name may be `toString`, or worse.
  const found = Object.create(null) as Record<string, string[]>;
  const keep = (name: unknown, value: unknown): void => {
    // By length first: most headers are none of ours, and need not be written in small letters to see it.
    if (typeof name !== 'string' || (name.length !== 10 && name.length !== 17)) return;
    (found[name.toLowerCase()] ??= []).push(...texts(value));
  };
  if (iterable) {
    for (const pair of headers as Iterable<unknown>) if (Array.isArray(pair)) keep(pair[0], pair[1]);
  } else for (const name of Object.keys(headers)) keep(name, (headers as Readonly<Record<string, unknown>>)[name]);
  return (name) => found[name] ?? [];
}

/** What is neither text nor a number becomes text that no grammar fits. */
function texts(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => (typeof one === 'string' || typeof one === 'number' ? String(one) : ''));
}
