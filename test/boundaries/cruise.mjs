// The boundary check: node test/boundaries/cruise.mjs [--root DIR] [--config FILE] [--json]
// Fails on a broken rule, and on a run that did not see every file: with a TypeScript that it does not know, dependency-cruiser reads
// nothing, finds nothing wrong and exits 0.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { cruise } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { sourceFiles, sourceFolders } from './source-files.mjs';

/** Fewer files than this is not our tree. */
const FLOOR = 60;

const { values: args } = parseArgs({
  options: {
    root: { type: 'string', default: '.' },
    config: { type: 'string', default: './.dependency-cruiser.cjs' },
    json: { type: 'boolean', default: false },
  },
});
process.chdir(path.resolve(args.root));

const expected = sourceFiles('.');
const problems = [];
let violations = [];
let seen = 0;
if (expected.length < FLOOR) {
  problems.push(`only ${expected.length} source files are here, at least ${FLOOR} were expected: is this the root of the repository?`);
} else {
  const options = await extractDepcruiseOptions(args.config);
  const tsConfig = extractTSConfig('./tsconfig.spec.json');
  const { output } = await cruise(sourceFolders('.'), options, undefined, { tsConfig });
  const modules = new Set(output.modules.map((module) => module.source));
  const unseen = expected.filter((file) => !modules.has(file));
  seen = expected.length - unseen.length;
  if (unseen.length > 0) {
    problems.push(
      `${unseen.length} of ${expected.length} source files were not read, e.g. ${unseen[0]}: is the package named "typescript" below version 7?`,
    );
  }
  const read = output.modules.reduce((sum, module) => sum + module.dependencies.length, 0);
  if (read < expected.length) problems.push(`only ${read} imports were found in ${expected.length} files`);
  violations = output.summary.violations.map(({ rule, from, to, comment, cycle }) => ({
    rule: rule.name,
    from,
    to,
    comment,
    cycle: cycle?.map((step) => step.name ?? step),
  }));
}

if (args.json) {
  console.log(JSON.stringify({ ok: problems.length === 0 && violations.length === 0, seen, problems, violations }));
} else {
  for (const { rule, from, to, comment, cycle } of violations) {
    console.log(`✗ ${rule}: ${from} → ${cycle ? cycle.join(' → ') : to}${comment ? `\n    ${comment}` : ''}`);
  }
  for (const problem of problems) console.log(`✗ ${problem}`);
  console.log(`boundaries: ${seen} files read, ${violations.length} broken rules, ${problems.length} faults of the check`);
}
process.exitCode = problems.length === 0 && violations.length === 0 ? 0 : 1;
