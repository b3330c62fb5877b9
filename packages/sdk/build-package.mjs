// Adds to dist/, beside the ES modules that tsc wrote, what `require` gets: each file by itself as CommonJS, so that a class is the same
// whichever entry it comes from, and the same types, which a package.json tells TypeScript to read as those of CommonJS.
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from 'esbuild';

const dist = path.join(import.meta.dirname, 'dist');
const target = path.join(dist, 'cjs');
const sources = new Set(
  readdirSync(path.join(import.meta.dirname, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
    .map((file) => file.slice(0, -'.ts'.length)),
);

rmSync(target, { recursive: true, force: true });
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  const [, stem, kind] = /^(.+?)(\.js|\.d\.ts|\.js\.map)$/.exec(file) ?? [];
  if (stem === undefined) continue;
  if (!sources.has(stem)) {
    // Of a source that is no more: it would be published otherwise.
    rmSync(path.join(dist, file));
    continue;
  }
  const written = path.join(target, file);
  mkdirSync(path.dirname(written), { recursive: true });
  if (kind === '.d.ts') cpSync(path.join(dist, file), written);
  if (kind === '.js') {
    const source = readFileSync(path.join(dist, file), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
    writeFileSync(written, transformSync(source, { format: 'cjs', platform: 'node', target: 'node20' }).code);
  }
}
writeFileSync(path.join(target, 'package.json'), '{ "type": "commonjs" }\n');
