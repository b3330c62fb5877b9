// ESLint with a floor: node test/boundaries/lint.mjs [--root DIR] [--json] [--fix] [FILE…]
// A run that reads nothing must not look like a run that found nothing.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ESLint } from 'eslint';
import { sourceFiles, sourceFolders } from './source-files.mjs';

/** Fewer files than this is not our tree. */
const FLOOR = 60;

const { values: args, positionals } = parseArgs({
  options: { root: { type: 'string', default: '.' }, json: { type: 'boolean', default: false }, fix: { type: 'boolean', default: false } },
  allowPositionals: true,
});
process.chdir(path.resolve(args.root));

const eslint = new ESLint({ fix: args.fix, errorOnUnmatchedPattern: false });
const whole = positionals.length === 0;
const expected = whole ? sourceFiles('.').filter((file) => !file.endsWith('.d.ts') && !file.includes('/generated/')) : [];
const enough = !whole || expected.length >= FLOOR;
const targets = whole ? [...sourceFolders('.'), '*.mjs', '.dependency-cruiser.cjs'] : positionals;
const results = enough ? await eslint.lintFiles(targets) : [];
if (args.fix) await ESLint.outputFixes(results);

const read = new Set(results.map((result) => path.relative('.', result.filePath).replaceAll(path.sep, '/')));
const problems = [];
if (!enough)
  problems.push(`only ${expected.length} source files are here, at least ${FLOOR} were expected: is this the root of the repository?`);
else if (read.size === 0) problems.push('no file was read');
const unread = enough ? expected.filter((file) => !read.has(file)) : [];
if (unread.length > 0) problems.push(`${unread.length} source files were not read, e.g. ${unread[0]}`);
const messages = results.flatMap((result) =>
  result.messages.map(({ ruleId, line, message, severity }) => ({
    file: path.relative('.', result.filePath).replaceAll(path.sep, '/'),
    line,
    rule: ruleId,
    message,
    severity,
  })),
);

if (args.json) {
  console.log(JSON.stringify({ ok: messages.length === 0 && problems.length === 0, read: read.size, problems, messages }));
} else {
  for (const { file, line, rule, message } of messages) console.log(`✗ ${file}:${line} ${rule ?? 'parse'}: ${message}`);
  for (const problem of problems) console.log(`✗ ${problem}`);
  console.log(`lint: ${read.size} files read, ${messages.length} findings, ${problems.length} faults of the check`);
}
process.exitCode = messages.length === 0 && problems.length === 0 ? 0 : 1;
