/** Lines only in `before` as `-…`, only in `after` as `+…`, each with its number; empty when the texts are equal. */
export function lineDiff(before: string, after: string): string[] {
  const a = before.split('\n');
  const b = after.split('\n');
  // longest[i][j]: how many lines a[i…] and b[j…] have in common, in order.
  const longest = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => longest[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = longest[i] as number[];
    for (let j = b.length - 1; j >= 0; j -= 1) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const told: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) {
      told.push(`-${i + 1}: ${a[i]}`);
      i += 1;
    } else {
      told.push(`+${j + 1}: ${b[j]}`);
      j += 1;
    }
  }
  return told;
}
