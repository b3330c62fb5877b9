import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** What people are told to type, in prose and by CI. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'test/README.md',
  '.ci/run',
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

describe('the commands that are documented', () => {
  it.each(pages)('%s names no script that package.json lacks', (page) => {
    const text = readFileSync(path.join(root, page), 'utf8');
    const named = [...text.matchAll(/\bnpm (?:run (?:-s )?([a-z][a-z:-]*)|(start|test)\b)/g)].map(([, run, short]) => run ?? short ?? '');
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('are read at all', () => {
    expect(readFileSync(path.join(root, 'README.md'), 'utf8')).toContain('npm start');
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test', 'check', 'bench']));
  });
});
