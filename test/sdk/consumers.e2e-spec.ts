import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { buildSync } from 'esbuild';
import { exampleSecret, signedExample } from '../../packages/sdk/src/testing.js';

jest.setTimeout(300_000);

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
let folder: string;

function run(command: string, args: readonly string[], cwd = folder): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}${error?.message ?? ''}`);
  return stdout;
}

const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return name;
};

/** What a customer's project has after `npm install @tributary/sdk`: the packed package and what it depends on. No registry is asked. */
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tributary-consumer-'));
  const packs = path.join(folder, 'packs');
  mkdirSync(packs);
  run('npm', ['run', '--silent', 'build:sdk'], root);
  for (const source of ['packages/sdk', 'node_modules/openapi-fetch', 'node_modules/openapi-typescript-helpers']) {
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packs, path.join(root, source)]);
  }
  file('package.json', '{ "name": "consumer", "private": true }');
  const tarballs = readdirSync(packs).map((name) => `./packs/${name}`);
  run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const body = `
  const request = await signedExample('daily.updated', { secret: exampleSecret, id: 'evt_1' });
  const event = await verify(request.body, request.headers, exampleSecret);
  const codes = [];
  for (const attempt of [
    () => verify(request.body, {}, exampleSecret),
    async () => verifySync(request.body, {}, exampleSecret),
    () => verify(request.body, request.headers, []),
  ]) {
    await attempt().catch((error) => codes.push([error instanceof VerificationError, error.code]));
  }
  const api = createApiClient({ apiKey: 'trb_test_x', baseUrl: 'http://127.0.0.1:1' });
  const made = [typeof fastifyReceiver, typeof nodeHandler, typeof postgresStore, typeof redisStore, typeof api.each];
  console.log(JSON.stringify({ type: event.type, codes, made }));
`;
const names: readonly [string, string][] = [
  ['@tributary/sdk', 'VerificationError'],
  ['@tributary/sdk/api', 'createApiClient'],
  ['@tributary/sdk/fastify', 'fastifyReceiver'],
  ['@tributary/sdk/node', 'nodeHandler, verifySync'],
  ['@tributary/sdk/postgres', 'postgresStore'],
  ['@tributary/sdk/redis', 'redisStore'],
  ['@tributary/sdk/testing', 'exampleSecret, signedExample'],
  ['@tributary/sdk/verifier', 'verify'],
];
const expected = {
  type: 'daily.updated',
  codes: [
    [true, 'missing_header'],
    [true, 'missing_header'],
    [true, 'no_secret'],
  ],
  made: ['function', 'function', 'function', 'function', 'function'],
};

describe('a consumer of the package', () => {
  it('that requires gets CommonJS, and one class of errors from all entries', () => {
    const requires = names.map(([from, what]) => `const { ${what} } = require('${from}');`).join('\n');
    expect(JSON.parse(run(process.execPath, [file('consumer.cjs', `${requires}\n(async () => {${body}})();`)]))).toEqual(expected);
  });

  it('that imports gets ES modules, and one class of errors from all entries', () => {
    const imports = names.map(([from, what]) => `import { ${what} } from '${from}';`).join('\n');
    expect(JSON.parse(run(process.execPath, [file('consumer.mjs', `${imports}\n${body}`)]))).toEqual(expected);
  });

  it('has no package but the client that the API entry uses', () => {
    const manifest = JSON.parse(readFileSync(path.join(folder, 'node_modules/@tributary/sdk/package.json'), 'utf8')) as {
      readonly dependencies: object;
    };
    expect(Object.keys(manifest.dependencies)).toEqual(['openapi-fetch']);
    expect(
      readdirSync(path.join(folder, 'node_modules'))
        .filter((name) => !name.startsWith('.'))
        .sort(),
    ).toEqual(['@tributary', 'openapi-fetch', 'openapi-typescript-helpers']);
  });

  it.each(['index', 'verifier', 'postgres', 'redis', 'fastify', 'testing', 'api'])(
    'at the edge bundles %s without a word of Node, and it runs there',
    async (entry) => {
      const source = entry === 'index' ? '@tributary/sdk' : `@tributary/sdk/${entry}`;
      const { outputFiles } = buildSync({
        stdin: {
          contents: `export * from '${source}'; export { createReceiver, memoryStore, fetchHandler } from '@tributary/sdk';`,
          resolveDir: folder,
        },
        bundle: true,
        write: false,
        format: 'iife',
        globalName: 'bundle',
        platform: 'neutral',
        conditions: ['workerd', 'import'],
        mainFields: ['module', 'main'],
      });
      const code = outputFiles[0]?.text ?? '';
      expect(code).not.toMatch(/\brequire\(|["']node:|\bBuffer\b/);
      // What a Worker has, and nothing else: no Buffer, no process, no require.
      const web = {
        crypto,
        TextEncoder,
        TextDecoder,
        Headers,
        Request,
        Response,
        URL,
        AbortController,
        atob,
        btoa,
        setTimeout,
        clearTimeout,
        setInterval,
        clearInterval,
        performance,
      };
      const context = createContext({ ...web, Uint8Array, ArrayBuffer, fetch });
      const bundle = runInContext(`${code}; bundle`, context) as typeof import('../../packages/sdk/src/index.js');
      const seen: string[] = [];
      const handle = bundle.fetchHandler(
        bundle.createReceiver({
          secrets: exampleSecret,
          store: bundle.memoryStore(),
          handlers: { otherwise: (event) => void seen.push(event.type) },
        }),
      );
      const { headers, body: bytes } = await signedExample('endpoint.test', { secret: exampleSecret });
      const response = await handle(new Request('https://edge.example/', { method: 'POST', headers, body: bytes }));
      expect([response.status, seen]).toEqual([204, ['endpoint.test']]);
    },
  );

  it.each([
    ['types.mts', 'nodenext'],
    ['types.cts', 'nodenext'],
    ['types.ts', 'bundler'],
  ])('in TypeScript (%s, %s) gets the types, strictly and with the libraries checked', (name, resolution) => {
    const source = `
import { type CivilDate, createReceiver, fetchHandler, isEvent, memoryStore, verify } from '@tributary/sdk';
import { createApiClient, reconcile } from '@tributary/sdk/api';
import { createReceiver as onNode, nodeHandler } from '@tributary/sdk/node';
import { postgresRecords, postgresTransactions, type PostgresPool, type PostgresClient } from '@tributary/sdk/postgres';
import { signedExample } from '@tributary/sdk/testing';

declare const pool: PostgresPool<PostgresClient & { readonly mine: 1 }>;
export const receiver = onNode({
  secrets: 'whsec_x',
  store: postgresTransactions(pool),
  handlers: {
    'daily.updated': async (event, { transaction }) => {
      const day: CivilDate = event.data.localDate;
      const one: 1 = transaction.mine;
      // @ts-expect-error -- no instant
      const instant: Date = new Date(day);
      await postgresRecords(transaction).applyIfNewer(event);
      void [one, instant];
    },
    // @ts-expect-error -- no such type
    'moon.risen': () => undefined,
  },
});
export const handle = fetchHandler(createReceiver({ secrets: 'whsec_x', store: memoryStore(), handlers: {} }));
export const listener = nodeHandler(receiver);
export async function use(): Promise<number | undefined> {
  const request = await signedExample('daily.updated', { secret: 'whsec_x', data: { revision: 7, localDate: '2026-11-29' } });
  const event = await verify(request.body, request.headers, 'whsec_x');
  const api = createApiClient({ apiKey: 'trb_test_x', baseUrl: 'https://api.example' });
  for await (const { localDate } of api.each('/v1/users/{id}/daily', { path: { id: 'usr_1' }, query: { limit: 1 } })) localDate satisfies string;
  await reconcile({ api, receiver, since: new Date(0) });
  return isEvent(event, 'daily.updated') ? event.data.record.value : undefined;
}
`;
    file(name, source);
    const module = resolution === 'bundler' ? 'preserve' : 'nodenext';
    const compiler = path.join(root, 'node_modules/@typescript/native/bin/tsc');
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable', '--module', module, '--types', ''];
    const config = { compilerOptions: {}, files: [name] };
    file('tsconfig.json', JSON.stringify(config));
    run(process.execPath, [compiler, '-p', 'tsconfig.json', ...options, '--moduleResolution', resolution]);
  });
});
