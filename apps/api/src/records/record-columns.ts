import { z } from 'zod';

/** One column of a table: its heading and where its value is found in an entry. */
export interface Column {
  readonly header: string;
  readonly path: readonly string[];
}

/**
 * The columns of an entry's shape, in its order: objects are laid out with dots (`source.id`), lists stay one cell of JSON.
 * @param without paths that are left out, with all that is below them
 */
export function columnsOf(shape: z.ZodType, without: readonly string[] = [], path: readonly string[] = []): Column[] {
  const inner = unwrapped(shape);
  if (!(inner instanceof z.ZodObject)) return [{ header: path.join('.'), path }];
  return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([name, part]) => {
    const below = [...path, name];
    return without.includes(below.join('.')) ? [] : columnsOf(part, without, below);
  });
}

/** @returns the cell's value: text, a number, a boolean; undefined for what is null or missing. */
export function cellOf(entry: unknown, path: readonly string[]): string | number | boolean | undefined {
  let value = entry;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

function unwrapped(shape: z.ZodType): z.ZodType {
  return shape instanceof z.ZodOptional || shape instanceof z.ZodNullable ? unwrapped(shape.unwrap() as z.ZodType) : shape;
}
