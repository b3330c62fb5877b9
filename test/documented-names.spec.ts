import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const sources = ['apps', 'packages'].flatMap((top) =>
  readdirSync(path.join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(^|\/)src\/.*\.ts$/.test(name) && !/spec\.ts$|node_modules|dist\//.test(name))
    .map((name) => read(path.join(top, name))),
);
const code = sources.join('\n');
const pages = readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));

/** What operators set for PostgreSQL, npm or containers, and not for us. */
const notOurs = new Set(['NODE_ENV', 'POSTGRES_PASSWORD']);

describe('what the documents name', () => {
  it.each(pages)('docs/%s names metrics and variables that the code has', (page) => {
    const text = read(path.join('docs', page));
    const metrics = [...text.matchAll(/`(tributary_[a-z_]+)`?/g)].map(([, name]) => name as string);
    expect(metrics.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
    const variables = [...text.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(([, name]) => name as string);
    const unknown = variables.filter((name) => !notOurs.has(name) && !code.includes(name) && !existsInCompose(name));
    expect(unknown).toEqual([]);
  });

  it.each(pages)('docs/%s links to files that are there', (page) => {
    const links = [...read(path.join('docs', page)).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, target]) => target as string);
    expect(links.filter((target) => !existsSync(path.join(root, 'docs', target)))).toEqual([]);
  });

  it('is read at all', () => {
    expect(sources.length).toBeGreaterThan(200);
    expect(pages).toEqual(expect.arrayContaining(['self-hosting.md', 'scaling.md', 'security.md', 'quickstart.md']));
    expect(read('docs/self-hosting.md')).toMatch(/`tributary_[a-z_]+`[^]*`DATABASE_URL`|`DATABASE_URL`[^]*`tributary_[a-z_]+`/);
  });
});

describe('compose.yaml and the image', () => {
  const compose = read('compose.yaml');

  it('start what is built, at the ports where it listens', () => {
    const commands = [...compose.matchAll(/(?:command: |, )((?:apps|migrations)\/[\w/]*\.js)/g)].map(([, file]) => file as string);
    expect(commands).toHaveLength(6);
    for (const file of commands)
      expect([file, existsSync(path.join(root, file.replace('/dist/', '/src/').replace(/js$/, 'ts')))]).toEqual([file, true]);
    for (const [name, port] of Object.entries({ api: 4100, ingest: 4101, worker: 4102, outbound: 4103 })) {
      expect(read(`apps/${name}/src/${name}.config.ts`)).toContain(`default(${port})`);
      expect(compose).toMatch(new RegExp(`\n  ${name}:\n[^]*?127\\.0\\.0\\.1:${port}/health/ready`));
    }
  });

  it('hand over no variable that nobody reads', () => {
    const block = /environment: &env\n((?: {4}(?:#|[A-Z]).*\n)+)/.exec(compose)?.[1] ?? '';
    const names = [...block.matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name]) => name as string);
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((name) => !code.includes(name))).toEqual([]);
    expect(read('Dockerfile')).toContain('USER node');
  });
});

function existsInCompose(name: string): boolean {
  return read('compose.yaml').includes(name);
}
