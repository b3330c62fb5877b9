import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startPostgres } from '@tributary/embedded-services';
import { migrate } from '@tributary/migrations';
import { KeyRing } from '@tributary/service-shell';
import { connect } from '@tributary/storage';
import { Agent, request } from 'undici';
import { ouraEvent, ouraHeaders } from '../../apps/ingest/testing/start-ingest.js';
import { Seed, TEST_KEYS } from '../../packages/storage/testing/seed.js';
import { removeFolder, scratchFolder } from './run-local.js';

const OUTAGE_MS = 20_000;
const SENDERS = 24;
/** Oura waits for ten seconds; a provider that hears nothing cannot know what to do. */
const ANSWER_MS = 10_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// A server that is really stopped and started again, under a process that is not. doubles: the provider.  oracles: answers, rows.
describe('PostgreSQL stopped for 20 s while deliveries come', () => {
  const dir = scratchFolder();
  afterAll(() => removeFolder(dir));

  it('every delivery that was acknowledged is there afterwards, the others were told to come back, and those that come later are stored', async () => {
    let server = await startPostgres({ dir, durable: true });
    await migrate(server.url);
    const open = () => connect({ url: server.url, poolSize: 2, applicationName: 'storage-outage' });
    let database = await open();
    const seed = new Seed(database.pool, new KeyRing(TEST_KEYS));
    const app = await seed.app(await seed.environment());
    await seed.connection(app, await seed.user(app), { subjectId: 'ann' });
    await database.close();

    const ingest = spawn(process.execPath, [path.resolve('apps/ingest/dist/main.js')], {
      env: { ...process.env, DATABASE_URL: server.url, REDIS_URL: '', TRIBUTARY_KEYS: TEST_KEYS, INGEST_PORT: '0', LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let ended: number | null | undefined;
    ingest.once('exit', (code) => (ended = code));
    const port = await new Promise<number>((resolve) => {
      createInterface({ input: ingest.stdout }).on('line', (line) => {
        const entry = JSON.parse(line) as { what?: string; port?: number };
        if (entry.what === 'service.listening') resolve(entry.port as number);
      });
    });

    const dispatcher = new Agent({ connections: SENDERS });
    const acknowledged = { before: new Set<string>(), away: new Set<string>(), after: new Set<string>() };
    let phase: keyof typeof acknowledged = 'before';
    const statuses = new Set<number>();
    let refused = 0;
    let longest = 0;
    let sending = true;
    const sender = async (name: number) => {
      for (let n = 0; sending; n += 1) {
        const object_id = `${name}-${n}`;
        const body = ouraEvent({ user_id: 'ann', object_id });
        const began = performance.now();
        const reply = await request(`http://127.0.0.1:${port}/in/oura/${app.appKey}`, {
          method: 'POST',
          headers: ouraHeaders(body, app.clientSecret),
          body,
          dispatcher,
        });
        await reply.body.dump();
        longest = Math.max(longest, performance.now() - began);
        statuses.add(reply.statusCode);
        if (reply.statusCode === 200) acknowledged[phase].add(object_id);
        else {
          refused += 1;
          await pause(25);
        }
      }
    };
    const senders = Promise.all(Array.from({ length: SENDERS }, (_, name) => sender(name)));
    await pause(2_000);
    const stopping = server.stop();
    await stopping;
    phase = 'away';
    await pause(OUTAGE_MS);
    server = await startPostgres({ dir, durable: true, port: server.port });
    for (let tries = 0; tries < 200 && acknowledged.away.size === 0; tries += 1) await pause(50);
    phase = 'after';
    statuses.clear();
    await pause(2_000);
    sending = false;
    await senders;
    const statusesAfter = [...statuses];
    await dispatcher.close();
    expect(ended).toBeUndefined();
    ingest.kill('SIGTERM');
    await once(ingest, 'exit');

    database = await open();
    const rows = (await database.pool.query<{ window_start: string }>('select window_start from webhook_notice')).rows;
    const bodies = (await database.pool.query<{ n: number }>('select count(distinct body_hash)::int as n from webhook_delivery')).rows[0]
      ?.n;
    await database.close();
    await server.stop();
    const stored = new Set(rows.map((row) => row.window_start));
    const all = [...acknowledged.before, ...acknowledged.away, ...acknowledged.after];
    expect(all.filter((object) => !stored.has(object))).toEqual([]);
    expect(stored.size).toBe(rows.length);
    expect(bodies).toBe(rows.length);
    expect(acknowledged.before.size).toBeGreaterThan(100);
    expect(acknowledged.after.size).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
    expect(statusesAfter).toEqual([200]);
    expect(longest).toBeLessThan(ANSWER_MS);
  }, 180_000);
});
