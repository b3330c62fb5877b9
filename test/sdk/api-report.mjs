// packages/sdk/sdk.api.md: what the package exports, entry by entry, as TypeScript sees it. A change of it is a change for customers.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'packages/sdk');
export const reportFile = path.join(folder, 'sdk.api.md');

/** The report of the types that are built. @throws when a name is used in a signature and exported nowhere */
export function apiReport() {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const entries = Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([name, target]) => ({ name: path.posix.join(manifest.name, name), file: path.join(folder, target.import.types) }));
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      skipLibCheck: true,
    },
  );
  const checker = program.getTypeChecker();
  const sections = entries.map(({ name, file }) => {
    const source = program.getSourceFile(file);
    if (!source) throw new Error(`${path.relative(root, file)} is missing: build the SDK first.`);
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source) ?? source.symbol);
    const shown = symbols.map((symbol) => declarationOf(symbol, checker)).sort((a, b) => (a.name < b.name ? -1 : 1));
    return `## ${name}\n\n\`\`\`ts\n${shown.map(({ text }) => text).join('\n\n')}\n\`\`\`\n`;
  });
  return [
    '# What @tributary/sdk exports',
    '',
    'Written by `npm run sdk:api`; `npm run sdk:check` fails when it is not what the source says. Comments are left out, and what is',
    'generated from `docs/openapi.json` is named only.',
    '',
    ...sections,
  ].join('\n');
}

function declarationOf(exported, checker) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const texts = (symbol.declarations ?? []).map((declaration) => textOf(declaration));
  if (texts.length === 0) throw new Error(`${exported.name} has no declaration.`);
  return { name: exported.name, text: [...new Set(texts)].join('\n') };
}

function textOf(declaration) {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const file = statement.getSourceFile();
  const text = ts
    .createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed })
    .printNode(ts.EmitHint.Unspecified, statement, file);
  return text.replace(/^export (default )?/, '').replace(/^declare /, '');
}
