import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type TestDatabase, cloneDatabase } from '../../../packages/storage/testing/clone-database.js';
import { Seed, type SeededApp, TEST_KEYS } from '../../../packages/storage/testing/seed.js';
import { type RunningIngest, ouraEvent, ouraHeaders, startIngest } from '../testing/start-ingest.js';

// doubles: none; raw sockets, since every client library has its own idea of an answer that comes early.  oracles: bytes on the wire, rows.
const MIB = 1_048_576;
const PART = 64 * 1024;

let db: TestDatabase;
let ingest: RunningIngest;
let app: SeededApp;
beforeAll(async () => {
  db = await cloneDatabase();
  const seed = new Seed(db.pool, new KeyRing(TEST_KEYS));
  app = await seed.app(await seed.environment());
  await seed.connection(app, await seed.user(app), { subjectId: 'ann' });
  ingest = await startIngest(db.url);
});
afterAll(async () => {
  await ingest.close();
  await db.drop();
});

type Framing = 'announced' | 'chunked';

/** A sender that reads nothing until all is written, as many do: whoever closes meanwhile takes the answer from it. */
class Sender {
  readonly #socket: Socket;
  #got = '';
  fault: string | undefined;
  closed = false;

  constructor() {
    const { hostname, port } = new URL(ingest.origin);
    this.#socket = connect(Number(port), hostname).pause();
    this.#socket.on('data', (data) => (this.#got += data.toString()));
    this.#socket.on('error', (error: NodeJS.ErrnoException) => (this.fault = error.code));
    this.#socket.on('close', () => (this.closed = true));
  }

  async write(data: Buffer | string): Promise<void> {
    if (this.closed || this.#socket.write(data)) return;
    await new Promise<void>((resolve) => {
      this.#socket.once('drain', resolve);
      this.#socket.once('close', () => resolve());
    });
  }

  async head(framing: Framing, length: number): Promise<void> {
    const how = framing === 'announced' ? `Content-Length: ${length}` : 'Transfer-Encoding: chunked';
    await this.write(`POST /in/oura/${app.appKey} HTTP/1.1\r\nHost: in\r\nContent-Type: application/json\r\n${how}\r\n\r\n`);
  }

  async part(framing: Framing): Promise<void> {
    const bytes = Buffer.alloc(PART, 'x');
    await this.write(
      framing === 'announced' ? bytes : Buffer.concat([Buffer.from(`${PART.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
    );
  }

  /** What came, once it holds `text` or the connection is over. */
  async read(text: string): Promise<string> {
    this.#socket.resume();
    for (let tries = 0; tries < 1_000 && !this.#got.includes(text) && !this.closed; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    return this.#got;
  }

  end(): void {
    this.#socket.destroy();
  }
}

const rows = async () => (await db.pool.query('select 1 from webhook_delivery union all select 1 from dead_letter')).rowCount;

describe('a body that is larger than the provider ever sends', () => {
  it.each([
    ['announced', 'at once', 0],
    ['announced', 'slowly', 20],
    ['chunked', 'at once', 0],
    ['chunked', 'slowly', 20],
  ] as const)('%s and sent %s is answered 413 with its reason, to the sender who wrote all of it first', async (framing, _how, pauseMs) => {
    const sender = new Sender();
    const parts = 60;
    await sender.head(framing, parts * PART);
    for (let n = 0; n < parts; n += 1) {
      await sender.part(framing);
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    if (framing === 'chunked') await sender.write('0\r\n\r\n');
    const answer = await sender.read('stored."}');
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"body_too_large"');
    expect(sender.fault).toBeUndefined();

    // The connection is as good as before.
    const body = ouraEvent({ user_id: 'ann', object_id: `after-${framing}-${pauseMs}` });
    const headers = Object.entries(ouraHeaders(body, app.clientSecret)).map(([name, value]) => `${name}: ${value}\r\n`);
    await sender.write(
      `POST /in/oura/${app.appKey} HTTP/1.1\r\nHost: in\r\n${headers.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect(await sender.read('HTTP/1.1 200')).toContain('HTTP/1.1 200 OK');
    sender.end();
  });

  it('one part of a chunk over the limit is as much too large as the whole', async () => {
    const sender = new Sender();
    await sender.head('chunked', 0);
    await sender.write(`${(3 * MIB).toString(16)}\r\n`);
    await sender.write(Buffer.alloc(3 * MIB, 'x'));
    await sender.write('\r\n0\r\n\r\n');
    expect(await sender.read('stored."}')).toMatch(/^HTTP\/1\.1 413 /);
    sender.end();
  });

  it.each(['announced', 'chunked'] as const)('%s and without an end is listened to for a few seconds and then cut off', async (framing) => {
    const before = await rows();
    const started = Date.now();
    const sender = new Sender();
    await sender.head(framing, 100_000 * MIB);
    const answer = sender.read('stored."}');
    while (!sender.closed && Date.now() - started < 20_000) {
      await sender.part(framing);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(sender.closed).toBe(true);
    expect(Date.now() - started).toBeLessThan(12_000);
    expect(await rows()).toBe(before);
  });
});
