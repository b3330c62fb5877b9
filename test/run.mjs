// npm test [-- SIZE… jest arguments]: builds, runs the tests of all sizes, and ends with a line "N passed, N failed".
// SIZE is unit, int or e2e; none means all of them. "npm test -- int packages/storage" runs the integration tests of one folder.
// TEST_TIME_LIMIT_S is how long the tests may take in all, default 1800.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { countResults, descendants } from './run-results.mjs';

const root = path.resolve(import.meta.dirname, '..');
const sizes = ['unit', 'int', 'e2e'];
const wanted = process.argv.slice(2);
const firstOther = wanted.findIndex((argument) => !sizes.includes(argument));
const chosen = firstOther < 0 ? wanted : wanted.slice(0, firstOther);
const given = wanted.slice(chosen.length);
/** Jest's modes that run no tests, or never end. */
const bare = given.some((argument) => /^--(listTests|help|showConfig|version|watch|watchAll)\b/.test(argument));
const narrowed = given.some((argument) => /^(-t|--testNamePattern)\b/.test(argument));
const limitSeconds = Number(process.env.TEST_TIME_LIMIT_S || 1800);
if (!(limitSeconds > 0)) {
  console.error('TEST_TIME_LIMIT_S: expected a number of seconds.');
  process.exit(2);
}

const build = spawnSync(process.execPath, [path.join(root, 'node_modules/nx/dist/bin/nx.js'), 'run', 'tributary:build'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
});
if (build.status !== 0) {
  console.error('The build failed; no test was run.');
  console.log('0 passed, 1 failed');
  process.exit(1);
}

const folder = mkdtempSync(path.join(tmpdir(), 'tributary-results-'));
const results = path.join(folder, 'results.json');
const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    path.join(root, 'node_modules/jest/bin/jest.js'),
    // Jest takes every word after --selectProjects for the name of a project, up to the next option: so an option follows.
    ...(chosen.length > 0 ? ['--selectProjects', ...chosen] : []),
    '--config=jest.config.mjs',
    // A socket that a failed test left open must not keep the run from ending.
    ...(bare ? [] : ['--forceExit', '--json', `--outputFile=${results}`]),
    ...given,
  ],
  { cwd: root, stdio: 'inherit' },
);
let late = false;
let left = [];
const limit = setTimeout(() => {
  late = true;
  console.error(`The tests took more than ${limitSeconds} s (TEST_TIME_LIMIT_S) and were ended.`);
  left = descendants(jest.pid);
  jest.kill('SIGTERM');
  setTimeout(() => jest.kill('SIGKILL'), 5_000).unref();
}, limitSeconds * 1_000);
// Ctrl-C reaches Jest too: it ends first, and tells us.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => jest.kill('SIGTERM'));

jest.once('close', (status) => {
  clearTimeout(limit);
  for (const pid of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  const text = existsSync(results) ? readFileSync(results, 'utf8') : undefined;
  rmSync(folder, { recursive: true, force: true });
  if (bare) process.exit(status ?? 1);
  const { passed, failed, lines } = countResults(text, { status, late, narrowed });
  for (const line of lines) console.log(line);
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
});
