import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/**
 * Reads Jest's JSON results. A run that ended badly, was cut off, skipped a test or ran none has failed, whatever its tests say.
 * @param {string | undefined} text the JSON, undefined where Jest wrote none
 * @param {{ status: number | null, late: boolean, narrowed: boolean }} end how the process ended, and whether it was asked for tests
 * by name only: then Jest counts the others of a file as pending
 * @returns {{ passed: number, failed: number, lines: string[] }}
 */
export function countResults(text, { status, late, narrowed }) {
  const lines = [];
  let passed = 0;
  let failed = 0;
  if (text !== undefined) {
    const results = JSON.parse(text);
    passed = results.numPassedTests;
    failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const idle = results.numPendingTests + results.numTodoTests;
    if (idle > 0 && !narrowed) {
      lines.push(`${idle} tests were skipped: a test that does not run proves nothing.`);
      failed += idle;
    }
  }
  if (late) lines.push('The run was cut off by its time limit.');
  if (passed === 0 && failed === 0) lines.push('No test ran.');
  if (failed === 0 && (late || passed === 0 || status !== 0)) failed = 1;
  return { passed, failed, lines };
}

/** Every process below this one, the nearest first. */
export function descendants(pid) {
  const children = new Map();
  for (const [child, parent] of parents()) children.set(parent, [...(children.get(parent) ?? []), child]);
  const found = [];
  for (let level = children.get(pid) ?? []; level.length > 0; level = level.flatMap((child) => children.get(child) ?? []))
    found.push(...level);
  return found;
}

function parents() {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    return (stdout ?? '')
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
      } catch {
        return [];
      }
    });
}
