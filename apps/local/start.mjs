// What `npm start` runs. Plain JavaScript that Node 14 can read, so that an old one gets an answer instead of a stack trace.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

export function nodeVersionProblem(running, wanted) {
  const numbers = (text) =>
    text
      .replace(/^[^\d]*/, '')
      .split('.')
      .map(Number);
  const [have, need] = [numbers(running), numbers(wanted)];
  for (let i = 0; i < 3; i += 1) {
    if ((have[i] || 0) > (need[i] || 0)) return undefined;
    if ((have[i] || 0) < (need[i] || 0)) {
      return `Tributary needs Node.js ${wanted}; this is ${running}. Install a newer one from https://nodejs.org and run npm ci again.`;
    }
  }
  return undefined;
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const problem = nodeVersionProblem(process.versions.node, engines.node);
  if (problem) {
    console.error(problem);
    process.exit(2);
  }
  let tsc;
  try {
    tsc = fileURLToPath(import.meta.resolve('@typescript/native/package.json'));
  } catch {
    console.error('The packages are not installed. Run npm ci first, then npm start.');
    process.exit(2);
  }
  process.env.TRIBUTARY_STARTED_AT = process.env.TRIBUTARY_STARTED_AT || String(Date.now());
  const bin = JSON.parse(readFileSync(tsc, 'utf8')).bin.tsc;
  const build = spawnSync(process.execPath, [path.join(path.dirname(tsc), bin), '-b'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (build.status !== 0) {
    console.error('The build failed: see the lines above.');
    process.exit(1);
  }
  await import('./dist/main.js');
}
