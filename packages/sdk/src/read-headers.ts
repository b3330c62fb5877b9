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
  const found = findHeaders(headers);
  const id = matching(names[0], found[0], /^[A-Za-z0-9_-]{1,256}$/);
  const timestamp = matching(names[1], found[1], /^(?:0|[1-9]\d{0,11})$/);
  const signatures = valuesOf(matching(names[2], found[2], /^\w+,[!-~]*(?: \w+,[!-~]*)*$/));
  if (signatures.v1.length + signatures.v1a.length === 0) {
    throw new VerificationError('unsupported_version', 'webhook-signature has neither a `v1` nor a `v1a` entry.', {
      header: names[2],
    });
  }
  return { id, timestamp, signatures };
}

function valuesOf(text: string): SignatureHeaders['signatures'] {
  const v1: string[] = [];
  const v1a: string[] = [];
  // Outside of a rotation there is one entry, and nothing to split.
  for (const entry of text.includes(' ') ? text.split(' ') : [text]) {
    if (entry.startsWith('v1,')) v1.push(entry.slice(3));
    else if (entry.startsWith('v1a,')) v1a.push(entry.slice(4));
  }
  return { v1, v1a };
}

function matching(name: string, value: string | undefined, grammar: RegExp): string {
  if (value === undefined) throw new VerificationError('missing_header', `The request has no ${name} header.`, { header: name });
  if (value.length <= longestHeader && grammar.test(value)) return value;
  const defect = value.includes('\n') ? 'comes more than once' : 'is too long, or not of the expected form';
  throw new VerificationError('malformed_header', `The ${name} header ${defect}.`, { header: name });
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * In the order of {@link names}, whatever their case. Of a header that comes more than once a line for each: no grammar lets that
 * through, and no lists are made for every request.
 */
function findHeaders(headers: HeadersInput): readonly (string | undefined)[] {
  const found: (string | undefined)[] = [undefined, undefined, undefined];
  const keep = (name: unknown, value: unknown): void => {
    // By length first: most headers are none of ours, and need not be written in small letters to see it.
    if (typeof name !== 'string' || (name.length !== 10 && name.length !== 17)) return;
    const asIs = placeOf(name);
    const place = asIs < 0 ? placeOf(name.toLowerCase()) : asIs;
    if (place >= 0) found[place] = withValue(found[place], value);
  };
  if (typeof headers !== 'object' || headers === null) return found;
  if (Symbol.iterator in headers) {
    for (const pair of headers as Iterable<unknown>) if (Array.isArray(pair)) keep(pair[0], pair[1]);
  } else if (typeof headers.get === 'function') for (const name of names) keep(name, headers.get(name));
  else for (const name of Object.keys(headers)) keep(name, (headers as Readonly<Record<string, unknown>>)[name]);
  return found;
}

function placeOf(name: string): number {
  return (names as readonly string[]).indexOf(name);
}

/** Null and undefined are no value, and each of a list is one. */
function withValue(before: string | undefined, value: unknown): string | undefined {
  if (value === undefined || value === null) return before;
  let found = before;
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
    found = found === undefined ? textOf(one) : `${found}\n${textOf(one)}`;
  }
  return found;
}

/** What is neither text nor a number becomes text that no grammar fits. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
