import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { exampleSecret, scenario, signedExample } from '../../packages/sdk/src/testing.js';
import { type TestDatabase, cloneDatabase } from '../../packages/storage/testing/clone-database.js';

jest.setTimeout(300_000);

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const readme = readFileSync(path.join(root, 'packages/sdk/README.md'), 'utf8');
const programs = new Map(
  [...readme.matchAll(/```ts\n(\/\/ ([a-z-]+)\.ts[^\n]*\n[^]*?)```/g)].map(([, code, name]) => [name as string, code as string]),
);
const redisUrl = process.env.TEST_REDIS_URL;
const running: ChildProcess[] = [];
let folder: string;
let db: TestDatabase;

/** Written below the tree, so that packages are found as in a project of a customer. */
beforeAll(async () => {
  mkdirSync(path.join(root, '.tributary'), { recursive: true });
  folder = mkdtempSync(path.join(root, '.tributary/readme-'));
  for (const [name, code] of programs) {
    writeFileSync(path.join(folder, `${name}.ts`), code);
    const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } };
    writeFileSync(path.join(folder, `${name}.js`), transformSync(code, { loader: 'ts', format: 'esm', tsconfigRaw }).code);
  }
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  db = await cloneDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await db.drop();
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    // Of one that ended by itself, nothing more will be heard.
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function start(args: readonly string[]): Promise<{ url: string; said: () => string }> {
  const port = await freePort();
  const settings = { PORT: String(port), TRIBUTARY_WEBHOOK_SECRET: exampleSecret, DATABASE_URL: db.url, REDIS_URL: redisUrl ?? '' };
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...settings, NODE_NO_WARNINGS: '1' } });
  running.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const url = `http://127.0.0.1:${port}/webhooks/tributary`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended: ${said}`);
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return { url, said: () => said };
    await sleep(50);
  }
}

const servers: [string, readonly string[]][] = [
  ['receiver', ['receiver.js']],
  ['express', ['express.js']],
  ...(redisUrl ? [['fastify', ['fastify.js']] as [string, string[]]] : []),
  ['nestjs', ['nestjs.js']],
  ['worker', [path.join(root, 'packages/sdk/examples/serve.mjs'), './worker.js']],
];

describe('the README', () => {
  it('has the programs that are run here', () => {
    expect([...programs.keys()]).toEqual([
      'receiver',
      'express',
      'fastify',
      'nestjs',
      'worker',
      'own-table',
      'by-hand',
      'catch-up',
      'try-it',
    ]);
    expect(readme.match(/```ts\n/g)).toHaveLength(programs.size);
  });

  it.each(servers)('%s.ts: handles an event once, and believes no forger', async (name, args) => {
    const { url, said } = await start(args);
    const sent = await signedExample('daily.updated', { secret: exampleSecret, id: `evt_${name}` });
    for (let n = 0; n < 2; n++) expect((await fetch(url, sent)).status).toBe(204);
    const forged = { ...sent, headers: { ...sent.headers, 'webhook-id': 'evt_forged' } };
    expect((await fetch(url, forged)).status).toBe(400);
    if (name === 'receiver') {
      const { rows } = await db.pool.query('select webhook_id, revision::int from tributary_claim, tributary_record');
      expect(rows).toEqual([{ webhook_id: 'evt_receiver', revision: 4 }]);
      return;
    }
    while (!/steps 2026-11-29|applied daily.updated/.test(said())) await sleep(20);
    expect(said().match(/steps 2026-11-29|daily\.updated/g)).toHaveLength(1);
  });

  it('own-table.ts and try-it.ts: a table of your own is right after every scenario', async () => {
    await db.pool.query(
      'create table steps_by_day (user_id text not null, day date not null, source text not null, steps integer not null)',
    );
    writeFileSync(
      path.join(folder, 'own-table-served.js'),
      `import { createServer } from 'node:http';
import pg from 'pg';
import { nodeHandler } from '@tributary/sdk/node';
import { claimTableSql } from '@tributary/sdk/postgres';
import { migration, receiver } from './own-table.js';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await pool.query(claimTableSql());
await pool.query(migration);
createServer(nodeHandler(receiver)).listen(process.env.PORT);`,
    );
    const { url } = await start(['own-table-served.js']);
    const module = (await import(pathToFileURL(path.join(folder, 'try-it.js')).href)) as { tryReceiver(at: string): Promise<void> };
    await module.tryReceiver(url);
    const { rows } = await db.pool.query('select steps from steps_by_day where not removed order by steps');
    // Of the six: the deleted and the erased day are gone.
    expect(rows).toEqual([{ steps: 4_000 }, { steps: 9_000 }, { steps: 9_000 }, { steps: 9_500 }]);
    expect(scenario('stale', { secret: exampleSecret }).held).toBe(4_000);
  });

  it('is right for the compiler, every program of it', () => {
    const compilerOptions = {
      noEmit: true,
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      experimentalDecorators: true,
      skipLibCheck: true,
      types: ['node'],
    };
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: [...programs.keys()].map((name) => `${name}.ts`) }),
    );
    const compiler = path.join(root, 'node_modules/@typescript/native/bin/tsc');
    expect(spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' }).stdout).toBe('');
  });
});
