import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededApp, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type RunningIngest, ouraEvent, ouraHeaders, startIngest } from '../testing/start-ingest.js';

// doubles: the sender, on a socket of its own.  oracles: what it reads, when the connection ends, rows.
let db: TestDatabase;
let ingest: RunningIngest;
let app: SeededApp;
let head: string;
let body: string;

beforeAll(async () => {
  db = await cloneDatabase();
  const seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
  ingest = await startIngest(db.url);
  app = await seed.app(await seed.environment());
  await seed.connection(app, await seed.user(app), { subjectId: 'ann' });
  body = ouraEvent({ user_id: 'ann' });
  const headers = Object.entries(ouraHeaders(body, app.clientSecret)).map(([name, value]) => `${name}: ${value}\r\n`);
  head = `POST /in/oura/${app.appKey} HTTP/1.1\r\nHost: in\r\n${headers.join('')}Content-Length: ${body.length}\r\n\r\n`;
});
afterAll(async () => {
  await ingest.close();
  await db.drop();
});

const rows = async () => (await db.pool.query('select 1 from webhook_delivery union all select 1 from dead_letter')).rowCount;

/** Sends a letter a second. @returns what was read, and after how many milliseconds the other side ended it. */
async function drip(first: string, rest: string): Promise<{ got: string; ms: number }> {
  const socket = connect(Number(new URL(ingest.origin).port), '127.0.0.1');
  const started = Date.now();
  let got = '';
  let at = 0;
  socket.on('data', (chunk) => (got += chunk.toString())).on('error', () => undefined);
  socket.write(first);
  const timer = setInterval(() => socket.write(rest[at++ % rest.length] as string), 1_000);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const patience = setTimeout(() => socket.destroy(new Error('not cut off')), 40_000);
  await closed;
  clearInterval(timer);
  clearTimeout(patience);
  return { got, ms: Date.now() - started };
}

describe('a sender that is too slow', () => {
  it('with its headers or with its body is cut off soon after 15 s, told so, and leaves no row', async () => {
    const [slowHead, slowBody] = await Promise.all([drip(head.slice(0, 30), 'x'), drip(head + body.slice(0, 20), body)]);
    for (const { got, ms } of [slowHead, slowBody]) {
      expect(got).toMatch(/^HTTP\/1\.1 408 /);
      expect(ms).toBeLessThan(25_000);
      expect(ms).toBeGreaterThan(10_000);
    }
    expect(await rows()).toBe(0);
  });

  it('or ends in the middle leaves no row, and the whole request does', async () => {
    const socket = connect(Number(new URL(ingest.origin).port), '127.0.0.1');
    socket.write(head + body.slice(0, 20));
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await rows()).toBe(0);
    const { status } = await ingest.send(`/in/oura/${app.appKey}`, { headers: ouraHeaders(body, app.clientSecret), body });
    expect([status, await rows()]).toEqual([200, 1]);
  });
});
