// npm run sdk:check: the package as it would be published. Its public face against sdk.api.md, its manifest (publint), its types as each
// way of importing resolves them (attw), what is in it, and the size of the verifier. Ends with "N passed, N failed".
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { apiReport, reportFile } from './api-report.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'packages/sdk');
const temporary = mkdtempSync(path.join(tmpdir(), 'tributary-sdk-'));
const bin = (name) => path.join(root, 'node_modules', name);

/** A program of this tree or npm. @throws with all that it said, unless it ends well */
function run(command, args, cwd = root) {
  const run = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, FORCE_COLOR: '0' } });
  if (run.status !== 0) throw new Error(`${run.stdout ?? ''}${run.stderr ?? ''}${run.error?.message ?? ''}`.trim());
  return run.stdout;
}

let tarball;
const steps = {
  build: () => run('npm', ['run', '--silent', 'build:sdk']),
  'api report': () => {
    const report = apiReport();
    if (!existsSync(reportFile) || readFileSync(reportFile, 'utf8') !== report) {
      throw new Error('packages/sdk/sdk.api.md is not what the source exports. Remedy: npm run sdk:api, and read the difference.');
    }
  },
  pack: () => {
    const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', temporary], folder));
    tarball = path.join(temporary, packed.filename.replace('@', '').replace('/', '-'));
    const files = packed.files.map((file) => file.path);
    const strange = files.filter(
      (file) =>
        !/^(dist\/.+\.(js|d\.ts|js\.map)|dist\/cjs\/package\.json|src\/.+(?<!spec)\.ts|LICENSE|README\.md|package\.json)$/.test(file),
    );
    if (strange.length > 0) throw new Error(`The package holds what it should not: ${strange.join(', ')}`);
    const missing = ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/cjs/index.js'].filter(
      (file) => !files.includes(file),
    );
    if (missing.length > 0) throw new Error(`The package lacks ${missing.join(', ')}`);
  },
  publint: () => run(process.execPath, [bin('publint/src/cli.js'), 'run', tarball, '--strict']),
  attw: () => run(process.execPath, [bin('@arethetypeswrong/cli/dist/index.js'), tarball, '--profile', 'node16', '--format', 'ascii']),
  size: () => {
    // What an edge function gets that imports the verifier and nothing else.
    const bundle = path.join(temporary, 'verifier.js');
    buildSync({
      entryPoints: [path.join(folder, 'dist/verifier.js')],
      outfile: bundle,
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      target: 'es2022',
    });
    const limits = [{ name: 'the verifier, minified and gzipped', path: bundle, limit: '4 kB', gzip: true, brotli: false }];
    writeFileSync(path.join(temporary, '.size-limit.json'), JSON.stringify(limits));
    writeFileSync(path.join(temporary, 'package.json'), JSON.stringify({ devDependencies: { '@size-limit/file': '*' } }));
    const said = run(process.execPath, [bin('size-limit/bin.js'), '--json', '--config', path.join(temporary, '.size-limit.json')], root);
    console.log(`  ${JSON.parse(said)[0].size} bytes`);
  },
};

let passed = 0;
const failed = [];
try {
  for (const [name, step] of Object.entries(steps)) {
    try {
      step();
      passed += 1;
      console.log(`✓ ${name}`);
    } catch (error) {
      failed.push(name);
      console.log(`✗ ${name}\n${error.message.replace(/^/gm, '    ')}`);
      if (name === 'build' || name === 'pack') break;
    }
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
console.log(`sdk:check: ${passed} passed, ${failed.length} failed${failed.length > 0 ? `: ${failed.join(', ')}` : ''}`);
process.exitCode = failed.length === 0 ? 0 : 1;
