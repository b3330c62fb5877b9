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
  const id = matching(idName, found.id, /^[A-Za-z0-9_-]{1,256}$/);
  const timestamp = matching(timestampName, found.timestamp, /^(?:0|[1-9]\d{0,11})$/);
  const signatures = valuesOf(matching(signatureName, found.signature, /^\w+,[!-~]*(?: \w+,[!-~]*)*$/));
  if (signatures.v1.length + signatures.v1a.length === 0) {
    throw new VerificationError('unsupported_version', 'webhook-signature has neither a `v1` nor a `v1a` entry.', {
      header: signatureName,
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

function matching(name: string, value: Found, grammar: RegExp): string {
  if (value === undefined) throw new VerificationError('missing_header', `The request has no ${name} header.`, { header: name });
  if (value !== twice && value.length <= longestHeader && grammar.test(value)) return value;
  const defect = value === twice ? 'comes more than once' : value.length > longestHeader ? 'is too long' : 'is not of the expected form';
  throw new VerificationError('malformed_header', `The ${name} header ${defect}.`, { header: name });
}

const idName = 'webhook-id';
const timestampName = 'webhook-timestamp';
const signatureName = 'webhook-signature';

const twice = Symbol('twice');

/** Of one header, whatever its case: no value, one, or more than one. */
type Found = string | typeof twice | undefined;

/** No lists and no maps: this is done for every header of every request. */
class FoundHeaders {
  id: Found;
  timestamp: Found;
  signature: Found;

  keep(name: unknown, value: unknown): void {
    // By length first: most headers are none of ours, and need not be written in small letters to see it.
    if (typeof name !== 'string' || (name.length !== idName.length && name.length !== signatureName.length)) return;
    const known = name === idName || name === timestampName || name === signatureName;
    const small = known ? name : name.toLowerCase();
    if (small === idName) this.id = withValue(this.id, value);
    else if (small === timestampName) this.timestamp = withValue(this.timestamp, value);
    else if (small === signatureName) this.signature = withValue(this.signature, value);
  }
}

function findHeaders(headers: HeadersInput): FoundHeaders {
  const found = new FoundHeaders();
  if (typeof headers !== 'object' || headers === null) return found;
  if (Symbol.iterator in headers) {
    for (const pair of headers as Iterable<unknown>) if (Array.isArray(pair)) found.keep(pair[0], pair[1]);
    return found;
  }
  if (typeof headers.get === 'function') {
    for (const name of [idName, timestampName, signatureName]) found.keep(name, headers.get(name));
    return found;
  }
  for (const name of Object.keys(headers)) found.keep(name, (headers as Readonly<Record<string, unknown>>)[name]);
  return found;
}

/** Null and undefined are no value, and each of a list is one. */
function withValue(before: Found, value: unknown): Found {
  if (value === undefined || value === null) return before;
  if (!Array.isArray(value)) return before === undefined ? textOf(value) : twice;
  if (value.length === 0) return before;
  return before === undefined && value.length === 1 ? textOf(value[0]) : twice;
}

/** What is neither text nor a number becomes text that no grammar fits. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
