/**
 * When a backfill will have ended, going by how fast it went so far. Undefined while nothing is read yet, or when nothing is left.
 * @param startedAt epoch milliseconds, as `now` and the answer
 * @param days of all collections together; `done` holds those that were given up too
 */
export function estimatedEnd({
  startedAt,
  now,
  done,
  total,
}: {
  readonly startedAt: number;
  readonly now: number;
  readonly done: number;
  readonly total: number;
}): number | undefined {
  if (done <= 0 || done >= total || now <= startedAt) return undefined;
  return Math.round(now + ((now - startedAt) * (total - done)) / done);
}
