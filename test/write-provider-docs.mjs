// npm run docs:providers [-- --check]: writes docs/providers.md from the built adapters, or compares it with them.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inboundProviders, providers } from '../packages/providers/dist/index.js';
import { renderProviderDocs } from './render-provider-docs.mjs';

const file = path.resolve(import.meta.dirname, '../docs/providers.md');
const text = renderProviderDocs(inboundProviders, new Set(providers.map(({ id }) => id)));

if (process.argv.includes('--check')) {
  const committed = readCommitted();
  if (committed === text) console.log('docs/providers.md is what the adapters say.');
  else {
    console.error(
      `docs/providers.md is not what the adapters say (first difference in line ${firstDifference(committed, text)}). Run: npm run docs:providers`,
    );
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, text);
  console.log('docs/providers.md written.');
}

function readCommitted() {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function firstDifference(a, b) {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const at = left.findIndex((line, index) => line !== right[index]);
  return (at === -1 ? left.length : at) + 1;
}
