/**
 * A value with every text in it as a database can hold it: without NUL, and with U+FFFD for half a surrogate pair. Both are legal in a
 * provider's JSON and in no text or `jsonb` of Postgres; a name of a device must not cost the record. The value itself where there is
 * nothing to change. Lists of numbers are not looked through.
 */
export function storableText<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) {
    if (typeof value[0] === 'number') return value;
    const cleaned = value.map(clean);
    return cleaned.some((item, at) => item !== value[at]) ? cleaned : value;
  }
  let changed: Record<string, unknown> | undefined;
  for (const [key, held] of Object.entries(value)) {
    const cleaned = clean(held);
    if (cleaned === held) continue;
    changed ??= { ...value };
    changed[key] = cleaned;
  }
  return changed ?? value;
}

function storable(text: string): string {
  return /[\0\p{Surrogate}]/u.test(text) ? text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd') : text;
}
