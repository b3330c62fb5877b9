import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type TestDatabase, cloneDatabase } from '../../../storage/testing/clone-database.js';
import { examplePublicKey, examplePrivateKey, exampleSecret, signedExample } from '../testing.js';
import { type SignedRequest, scenario } from '../testing.js';

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../examples');
const redisUrl = process.env.TEST_REDIS_URL;
const running: ChildProcess[] = [];
let db: TestDatabase;

beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
});

interface Running {
  readonly url: string;
  readonly origin: string;
  readonly lines: string[];
  line(text: string): Promise<void>;
}

async function start(args: readonly string[], env: Record<string, string> = {}): Promise<Running> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: '1', PORT: '0', TRIBUTARY_WEBHOOK_SECRET: exampleSecret, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const lines: string[] = [];
  const seen = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      for (const look of seen) look();
    });
  }
  const line = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => lines.some((one) => one.startsWith(text)) && (seen.delete(look), resolve());
      seen.add(look);
      child.once('exit', () => reject(new Error(`${args.join(' ')} ended:\n${lines.join('\n')}`)));
      look();
    });
  await line('listening on ');
  const port = lines.find((one) => one.startsWith('listening on '))?.slice('listening on '.length);
  const origin = `http://127.0.0.1:${port}`;
  return { url: `${origin}/webhooks/tributary`, origin, lines, line };
}

async function post(url: string, { headers, body }: Pick<SignedRequest, 'headers' | 'body'>): Promise<[number, string]> {
  const response = await fetch(url, { method: 'POST', headers, body });
  return [response.status, await response.text()];
}

const examples: [string, readonly string[], () => Record<string, string>][] = [
  ['node-http.mjs', ['node-http.mjs'], () => ({})],
  ['express.mjs', ['express.mjs'], () => ({})],
  ['express.mjs with Postgres', ['express.mjs'], () => ({ DATABASE_URL: db.url })],
  ['fastify.mjs', ['fastify.mjs'], () => ({})],
  ...(redisUrl ? [['fastify.mjs with Redis', ['fastify.mjs'], () => ({ REDIS_URL: redisUrl })] as (typeof examples)[number]] : []),
  ['nestjs.mjs', ['nestjs.mjs'], () => ({})],
  ['hono.mjs', ['serve.mjs', './hono.mjs'], () => ({})],
  ['nextjs/route.mjs', ['serve.mjs', './nextjs/route.mjs'], () => ({})],
];

describe.each(examples)('the example %s', (_, args, env) => {
  it('keeps the newest value, once, and believes no forger', async () => {
    const app = await start(args, env());
    const { events, statuses } = scenario('reordered', { secret: exampleSecret });
    const requests = await Promise.all(events.map((event) => signedExample(event.type, event)));
    for (const [at, request] of requests.entries()) expect((await post(app.url, request))[0]).toBe(statuses[at]);
    await app.line('stale daily.updated steps of 2026-11-29: 4000');
    expect(app.lines).toContain('applied daily.updated steps of 2026-11-29: 9000');
    const [first] = requests as [SignedRequest];
    expect(await post(app.url, first)).toEqual([204, '']);
    expect(app.lines.filter((line) => line.includes('daily.updated'))).toHaveLength(2);

    const forged = Buffer.concat([first.body, Buffer.from(' ')]);
    expect(await post(app.url, { ...first, body: new Uint8Array(forged) })).toEqual([400, '{"code":"signature_mismatch"}']);
    const { 'webhook-signature': __, ...unsigned } = first.headers;
    expect(await post(app.url, { body: first.body, headers: unsigned as SignedRequest['headers'] })).toEqual([
      400,
      '{"code":"missing_header"}',
    ]);
    const text = 'Ranní běh 🏃‍♀️ \u0000 \\u0000';
    const unicode = await signedExample('endpoint.test', { secret: exampleSecret, data: { message: text } });
    expect(await post(app.url, unicode)).toEqual([204, '']);
    await app.line('no-record endpoint.test');
    expect((await post(app.url, { ...first, body: new Uint8Array(1_100_000) }))[0]).toBe(413);
    expect((await post(app.url, requests[1] as SignedRequest))[0]).toBe(204);
  });
});

describe('the examples', () => {
  it('are all of the folder', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.mjs'));
    const started = examples.flatMap(([, args]) => args.map((arg) => path.normalize(arg)));
    expect(files.filter((file) => !started.includes(file))).toEqual(['keep-steps.mjs']);
  });
  it.each(['express.mjs', 'fastify.mjs'])('leave the other routes of %s their parsed bodies', async (file) => {
    const app = await start([file]);
    const response = await fetch(`${app.origin}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await response.json()).toEqual({ got: { a: 1 } });
  });
  it('take a public key as well', async () => {
    const app = await start(['node-http.mjs'], { TRIBUTARY_WEBHOOK_SECRET: examplePublicKey });
    expect(await post(app.url, await signedExample('endpoint.test', { secret: examplePrivateKey }))).toEqual([204, '']);
    expect((await post(app.url, await signedExample('endpoint.test', { secret: exampleSecret })))[0]).toBe(400);
  });
});
