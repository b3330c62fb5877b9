// Slower than its neighbours: it starts the real checks on a copy of the tree with faults in it. A check that nobody has seen fail
// is a decoration.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { faultyCode, fineCode } from './planted-code.js';
import { allowedImports, forbiddenImports, targets } from './planted-imports.js';
import { PlantedTree, run } from './planted-tree.js';

jest.setTimeout(120_000);

const cruise = 'test/boundaries/cruise.mjs';
const lint = 'test/boundaries/lint.mjs';

describe('the boundary check', () => {
  let tree: PlantedTree;
  afterAll(() => tree.remove());
  let broken: Map<string, string[]>;
  let exitCode: number | null;
  beforeAll(() => {
    tree = new PlantedTree();
    tree.plant([...forbiddenImports, ...targets, ...allowedImports]);
    const check = run(cruise, ['--root', tree.root, '--json']);
    exitCode = check.exitCode;
    broken = new Map();
    for (const { from, rule } of (JSON.parse(check.output) as { violations: { from: string; rule: string }[] }).violations) {
      broken.set(from, [...(broken.get(from) ?? []), rule]);
    }
  });

  it('is green on the tree as it is', () => {
    expect(run(cruise, ['--json'])).toEqual({ exitCode: 0, output: expect.stringContaining('"violations":[]') });
  });

  it('ends with a failure when an import is forbidden', () => {
    expect(exitCode).toBe(1);
  });

  it.each(forbiddenImports)('$rule names $file', ({ file, rule }) => {
    expect(broken.get(file) ?? []).toContain(rule);
  });

  it.each(allowedImports)('lets $file pass', ({ file }) => {
    expect(broken.get(file)).toBeUndefined();
  });

  it('fails where there is no source to read', () => {
    expect(run(cruise, ['--root', `${tree.root}/test`])).toEqual({
      exitCode: 1,
      output: expect.stringContaining('only 0 source files are here'),
    });
  });
});

describe('the boundary check, blinded', () => {
  let tree: PlantedTree;
  afterAll(() => tree.remove());

  beforeAll(() => {
    tree = new PlantedTree();
  });

  it('fails when it did not read every file', () => {
    tree.plant([
      {
        file: 'blind.cjs',
        source:
          "const config = require('./.dependency-cruiser.cjs');\nconfig.options.exclude = { path: '^apps/' };\nmodule.exports = config;\n",
      },
    ]);
    expect(run(cruise, ['--root', tree.root, '--config', './blind.cjs'])).toEqual({
      exitCode: 1,
      output: expect.stringContaining('source files were not read'),
    });
  });
});

describe('the lint rules', () => {
  let tree: PlantedTree;
  afterAll(() => tree.remove());
  let found: Map<string, string[]>;
  let exitCode: number | null;
  beforeAll(() => {
    tree = new PlantedTree();
    tree.plant([...faultyCode, ...fineCode]);
    const check = run(lint, ['--root', tree.root, '--json', ...[...faultyCode, ...fineCode].map(({ file }) => file)]);
    exitCode = check.exitCode;
    found = new Map();
    for (const { file, rule } of (JSON.parse(check.output) as { messages: { file: string; rule: string }[] }).messages) {
      found.set(file, [...(found.get(file) ?? []), rule]);
    }
  });

  it('end with a failure when a rule is broken', () => {
    expect(exitCode).toBe(1);
  });

  it.each(faultyCode)('$rule names $file', ({ file, rule }) => {
    expect(found.get(file) ?? []).toContain(rule);
  });

  it.each(fineCode)('let $file pass', ({ file }) => {
    expect(found.get(file)).toBeUndefined();
  });

  it('fail when they read nothing', () => {
    const nowhere = run(lint, ['--root', `${tree.root}/test`]);
    expect(nowhere).toEqual({ exitCode: 1, output: expect.stringContaining('only 0 source files are here') });
  });
});

describe('the other checks', () => {
  let tree: PlantedTree;
  afterAll(() => tree.remove());

  beforeAll(() => {
    tree = new PlantedTree();
  });

  it('types: a wrong type in a spec is an error', () => {
    tree.plant([{ file: 'packages/domain/src/planted.spec.ts', source: "export const planted: number = 'text';\n" }]);
    const check = run('node_modules/@typescript/native/bin/tsc', ['-p', `${tree.root}/tsconfig.spec.json`, '--pretty', 'false']);
    expect(check.output).toContain('planted.spec.ts(1,14): error TS2322');
    expect(check.exitCode).not.toBe(0);
  });

  it('knip: a file and an export that nobody uses are reported', () => {
    tree.plant([
      { file: 'apps/worker/src/planted-unused.ts', source: 'export const planted = 1;\n' },
      { file: 'apps/worker/src/planted-half-used.ts', source: 'export const used = 1;\nexport const plantedExport = 2;\n' },
      { file: 'apps/worker/src/planted-user.spec.ts', source: "import { used } from './planted-half-used.js';\nvoid used;\n" },
    ]);
    const check = run('node_modules/knip/bin/knip.js', ['--directory', tree.root, '--no-config-hints', '--include', 'files,exports']);
    expect(check.output).toContain('apps/worker/src/planted-unused.ts');
    expect(check.output).toContain('plantedExport');
    expect(check.exitCode).toBe(1);
  });
});
