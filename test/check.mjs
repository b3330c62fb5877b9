// npm run check [-- NAME…]: every check, each to its end, then what failed.
// The checks are npm scripts of the same names, so that one can be run alone.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
/** In an order where what builds comes before what needs a build. */
const checks = [
  { name: 'format:check', remedy: 'npm run format' },
  { name: 'types', remedy: 'mend the types' },
  { name: 'lint', remedy: 'npm run lint -- --fix mends some' },
  { name: 'boundaries', remedy: 'docs/architecture.md, "Boundaries", says who may import whom' },
  { name: 'knip', remedy: 'remove what nobody uses, or use it' },
  { name: 'schema:check', remedy: 'npm run schema:write, and read the difference' },
  { name: 'openapi:check', remedy: 'npm run openapi:write, and read the difference' },
  { name: 'sdk:check', remedy: 'npm run sdk:api, and read the difference' },
  { name: 'docs:providers:check', remedy: 'npm run docs:providers, and read the difference' },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(`There is no check named ${unknown.join(', ')}. There are: ${checks.map((check) => check.name).join(', ')}.`);
  process.exit(2);
}

const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const failed = [];
let passed = 0;
for (const { name, remedy } of checks.filter((check) => wanted.length === 0 || wanted.includes(check.name))) {
  const started = Date.now();
  const run =
    scripts[name] === undefined
      ? { status: 1, stdout: '', stderr: `package.json has no script named ${name}` }
      : spawnSync('npm', ['run', '--silent', name], {
          cwd: root,
          encoding: 'utf8',
          maxBuffer: 64 * 1024 * 1024,
          shell: process.platform === 'win32',
        });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (run.status === 0) {
    passed += 1;
    console.log(`✓ ${name} (${seconds} s)`);
    continue;
  }
  failed.push(name);
  console.log(`✗ ${name} (${seconds} s). Remedy: ${remedy}.`);
  const said = `${run.stdout ?? ''}${run.stderr ?? ''}${run.error ? run.error.message : ''}`.trimEnd();
  console.log(
    said
      .split('\n')
      .map((line) => `    ${line}`)
      .join('\n'),
  );
}
console.log(
  failed.length === 0 ? `check: ${passed} passed, 0 failed` : `check: ${passed} passed, ${failed.length} failed: ${failed.join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
