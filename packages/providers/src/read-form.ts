import { MalformedDelivery } from './provider.js';
import type { RawRequest } from './raw-request.js';
import type { Fields } from './read-fields.js';

/** Bytes that are no UTF-8 would otherwise all become the same replacement character. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The fields of a form body (`application/x-www-form-urlencoded`), all of them text. One that comes twice is a list, and so nothing
 * that a reader of fields would take: which of two ids is meant is not ours to choose.
 */
export function bodyForm({ body }: RawRequest): Fields {
  let text: string;
  try {
    text = strictUtf8.decode(body);
  } catch {
    throw new MalformedDelivery('body: not UTF-8');
  }
  const query = new URLSearchParams(text);
  // Without a prototype: a field may be called anything.
  const fields = Object.create(null) as Record<string, unknown>;
  for (const name of query.keys()) {
    const values = query.getAll(name);
    fields[name] = values.length === 1 ? values[0] : values;
  }
  return fields;
}

/** A form that says what it is, or says nothing. */
export function mayBeForm({ headers }: RawRequest): boolean {
  const type = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  return type === '' || type === 'application/x-www-form-urlencoded';
}
