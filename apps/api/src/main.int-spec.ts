import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestDatabase, cloneDatabase, emptyDatabase } from '../../../packages/storage/testing/clone-database.js';
import { TEST_KEYS } from '../../../packages/storage/testing/seed.js';

/** The built programs: `npm test` builds first. */
const file = (name: string) => path.join(import.meta.dirname, '../dist', name);

describe('the processes', () => {
  let db: TestDatabase;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    db = await cloneDatabase({ poolSize: 1 });
    env = { PATH: process.env['PATH'], DATABASE_URL: db.url, TRIBUTARY_KEYS: TEST_KEYS, API_PORT: '0' };
  });
  afterAll(() => db.drop());

  const run = (name: string, args: string[], changed: NodeJS.ProcessEnv = {}) =>
    spawnSync(process.execPath, [file(name), ...args], { encoding: 'utf8', env: { ...env, ...changed }, timeout: 50_000 });

  async function start(): Promise<{ child: ChildProcess; url: string }> {
    const child = spawn(process.execPath, [file('main.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      // Read to the end: a service whose log nobody reads is another test.
      child.stdout?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const found = /listening on (http:[^\s"]+)/.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => reject(new Error(`the api did not start: ${said}`)));
    });
    return { child, url };
  }

  it('bootstrap makes a tenant whose key the api accepts; /docs needs nothing from elsewhere; SIGTERM ends it well', async () => {
    const made = run('cli.js', [
      'bootstrap',
      '--tenant',
      'Acme',
      '--environment',
      'test',
      '--json',
      '--debounce-ms',
      '0',
      '--max-wait-ms',
      '0',
    ]);
    expect([made.status, made.stderr]).toEqual([0, '']);
    const { tenantId, environment, apiKey } = JSON.parse(made.stdout) as Record<string, string>;
    expect(environment).toBe('test');
    const { rows } = await db.pool.query(`select environment, debounce_ms, max_wait_ms from environment where tenant_id = $1 order by 1`, [
      tenantId,
    ]);
    expect(rows).toEqual(['live', 'test'].map((name) => ({ environment: name, debounce_ms: 0, max_wait_ms: 0 })));
    const { child, url } = await start();
    try {
      const reply = await fetch(`${url}/v1/users`, { headers: { authorization: `Bearer ${apiKey}` } });
      expect([reply.status, await reply.json()]).toEqual([200, { data: [], nextCursor: null }]);
      const page = await (await fetch(`${url}/docs`)).text();
      expect(page).toContain('swagger-ui');
      expect(page).not.toMatch(/(src|href)="https?:/);
      const sources = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => new URL(source as string, `${url}/docs`).href);
      expect(sources.length).toBeGreaterThan(3);
      for (const source of sources) expect([source, (await fetch(source)).status]).toEqual([source, 200]);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('what a person can mend is said in one message that names the variable or argument', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => {
      taken.listen(0, '127.0.0.1', resolve);
    });
    const withoutTables = await emptyDatabase();
    const cases: [string, string[], NodeJS.ProcessEnv, RegExp, number][] = [
      ['main.js', [], { DATABASE_URL: withoutTables.url }, /npm run migrate/, 1],
      ['main.js', [], { API_PORT: String((taken.address() as AddressInfo).port) }, /API_PORT/, 2],
      ['main.js', [], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x', TRIBUTARY_KEYS: 'nonsense' }, /TRIBUTARY_KEYS/, 2],
      ['main.js', [], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' }, /DATABASE_URL/, 1],
      ['cli.js', ['bootstrap', '--tenant', 'A', '--environment', 'test'], { DATABASE_URL: undefined }, /DATABASE_URL/, 2],
    ];
    for (const [name, args, changed, words, status] of cases) {
      const ended = run(name, args, changed);
      expect([args, ended.stderr.match(words) !== null, ended.status]).toEqual([args, true, status]);
      expect(ended.stderr).not.toMatch(/\n\s+at /);
    }
    taken.close();
    await withoutTables.drop();
    expect((await db.pool.query(`select count(*)::int as n from tenant`)).rows).toEqual([{ n: 1 }]);
  });

  it('the committed document of the API is what the code says', () => {
    const { status, stderr } = run('write-openapi.js', ['--check']);
    expect([stderr, status]).toEqual(['', 0]);
  });
});
