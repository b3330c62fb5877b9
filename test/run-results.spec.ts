import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';

interface RunResults {
  countResults(
    text: string | undefined,
    end: { status: number | null; late: boolean; narrowed: boolean },
  ): { passed: number; failed: number; lines: string[] };
  descendants(pid: number): number[];
}

const file = path.join(path.dirname(fileURLToPath(import.meta.url)), 'run-results.mjs');
const { countResults, descendants } = (await import(pathToFileURL(file).href)) as RunResults;
const results = (counts: Record<string, number>) =>
  JSON.stringify({ numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0, numTodoTests: 0, ...counts });
const well = { status: 0, late: false, narrowed: false };

describe('the end of npm test', () => {
  it('counts what Jest counted', () => {
    expect(countResults(results({ numPassedTests: 7 }), well)).toEqual({ passed: 7, failed: 0, lines: [] });
  });

  it('counts a file that could not be loaded as a failure', () => {
    const counted = countResults(results({ numPassedTests: 7, numFailedTests: 1, numRuntimeErrorTestSuites: 2 }), { ...well, status: 1 });
    expect([counted.passed, counted.failed]).toEqual([7, 3]);
  });

  it('fails a run of no tests, without results, cut off, or ended badly after passing', () => {
    expect(countResults(results({}), well)).toEqual({ passed: 0, failed: 1, lines: ['No test ran.'] });
    expect(countResults(undefined, { ...well, status: null }).failed).toBe(1);
    expect(countResults(results({ numPassedTests: 7 }), { ...well, late: true }).failed).toBe(1);
    expect(countResults(results({ numPassedTests: 7 }), { ...well, status: 1 }).failed).toBe(1);
  });

  it('fails a run that skipped a test, unless it was asked for tests by name', () => {
    expect(countResults(results({ numPassedTests: 7, numPendingTests: 2 }), well).failed).toBe(2);
    expect(countResults(results({ numPassedTests: 7, numPendingTests: 2 }), { ...well, narrowed: true }).failed).toBe(0);
  });

  it('finds the processes below one, children of children too', async () => {
    const grandparent = spawn(process.execPath, [
      '-e',
      `const c = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)']); console.log(c.pid); setInterval(() => 0, 1000)`,
    ]);
    const [line] = (await once(grandparent.stdout, 'data')) as [Buffer];
    const grandchild = Number(line.toString());
    try {
      expect(descendants(process.pid)).toEqual(expect.arrayContaining([grandparent.pid, grandchild]));
      expect(descendants(grandparent.pid ?? 0)).toEqual([grandchild]);
    } finally {
      process.kill(grandchild, 'SIGKILL');
      grandparent.kill('SIGKILL');
    }
  });
});
