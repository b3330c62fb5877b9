/**
 * What a source may call a collection: what stands before the last point of its `type`. A source is free in its words, so any name is
 * taken, and which ones are read is said by whoever reads that source.
 */
export function isStandardWebhooksCollection(name: string): boolean {
  return /^[a-z][a-z0-9_.-]{0,63}$/i.test(name);
}
