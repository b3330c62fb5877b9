/** A new cluster takes 40 MB, its first write-ahead log 16 to 80 MB; the rest is room to work in. */
const LEAST_FREE_BYTES = 300_000_000;

/** What to tell a person when `dir` has too little room for a new database; undefined when it has enough. */
export function diskProblem(freeBytes: number, dir: string): string | undefined {
  if (freeBytes >= LEAST_FREE_BYTES) return undefined;
  return (
    `Only ${Math.floor(freeBytes / 1_000_000)} MB are free on the disk of ${dir}, and the database needs at least ` +
    `${LEAST_FREE_BYTES / 1_000_000} MB. Free some space, or set TRIBUTARY_DATA_DIR to a folder on another disk.`
  );
}

/** The same for a server that met the end of the disk at work; undefined when its output says nothing of that. */
export function diskFullProblem(output: string, dir: string): string | undefined {
  if (!/No space left on device|ENOSPC|Disk quota exceeded|EDQUOT/.test(output)) return undefined;
  return `The disk of ${dir} is full. Free some space, or set TRIBUTARY_DATA_DIR to a folder on another disk.`;
}
