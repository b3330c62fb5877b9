import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type IncomingMessage, type Server, type ServerResponse, createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestDatabase, cloneDatabase } from '../../../storage/testing/clone-database.js';
import { type ClaimStore } from '../claim-store.js';
import { memoryStore } from '../claim-store.memory.js';
import { type VerifiedEvent } from '../events.js';
import { claimTableSql, postgresStore } from '../postgres.js';
import { type Problem } from '../receiver-outcome.js';
import { type Handler } from '../handle-once.js';
import { createReceiver } from '../receiver.js';
import { exampleSecret, signedExample } from '../testing.js';
import { type NodeHandlerOptions, nodeHandler } from './node.js';

let db: TestDatabase;
const servers: Server[] = [];

beforeAll(async () => {
  db = await cloneDatabase();
  await db.pool.query(claimTableSql());
});
afterAll(() => db.drop());
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(listener: Listener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Scene {
  readonly handler?: Handler<VerifiedEvent>;
  readonly store?: ClaimStore;
  readonly leaseSeconds?: number;
  readonly maxHandlingSeconds?: number;
  readonly options?: NodeHandlerOptions;
  readonly before?: (request: IncomingMessage) => Promise<void>;
}

async function receiverOver({
  handler = () => undefined,
  store = memoryStore(),
  leaseSeconds = 60,
  maxHandlingSeconds,
  options,
  before,
}: Scene = {}) {
  const problems: Problem[] = [];
  const receiver = createReceiver({
    secrets: exampleSecret,
    store,
    leaseSeconds,
    ...(maxHandlingSeconds === undefined ? {} : { maxHandlingSeconds }),
    handlers: { otherwise: handler },
    onProblem: (problem) => problems.push(problem),
  });
  const handle = nodeHandler(receiver, options);
  const url = await serve((request, response) => {
    if (!before) handle(request, response);
    else void before(request).then(() => handle(request, response));
  });
  return { url, problems };
}

const post = async (url: string, message: { readonly headers: Record<string, string>; readonly body: Uint8Array }) => {
  const response = await fetch(url, { method: 'POST', headers: message.headers, body: Buffer.from(message.body) });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe.each<[string, () => ClaimStore]>([
  ['memory', () => memoryStore()],
  ['Postgres', () => postgresStore(db.pool)],
])('a receiver over HTTP, with the %s store', (_, newStore) => {
  it('handles an event once, whatever is sent again', async () => {
    const seen: unknown[] = [];
    const { url, problems } = await receiverOver({ store: newStore(), handler: (event) => void seen.push(event.data) });
    const id = `evt_${crypto.randomUUID()}`;
    const sent = await signedExample('daily.updated', { secret: exampleSecret, id });
    expect(await post(url, sent)).toMatchObject({ status: 204, text: '' });
    expect((await post(url, sent)).status).toBe(204);
    const signedAnew = await signedExample('daily.updated', {
      secret: exampleSecret,
      id,
      at: new Date(Date.now() + 5_000),
      deliveryAttempt: 2,
    });
    expect((await post(url, signedAnew)).status).toBe(204);
    expect(seen).toEqual([(JSON.parse(new TextDecoder().decode(sent.body)) as { data: unknown }).data]);
    expect(problems).toEqual([]);
  });

  it('lets one of many copies at the same moment through; the rest are told to come back, and then that it is done', async () => {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let calls = 0;
    const store = newStore();
    const handler = async () => {
      calls++;
      await opened;
    };
    // Two servers: the copies arrive at two processes that share the store.
    const urls = [(await receiverOver({ store, handler })).url, (await receiverOver({ store, handler })).url];
    const sent = await signedExample('daily.updated', { secret: exampleSecret, id: `evt_${crypto.randomUUID()}` });
    const answers = Array.from({ length: 10 }, (__, n) => post(urls[n % 2] as string, sent));
    let told = 0;
    await new Promise<void>((resolve) => answers.forEach((answer) => void answer.then(() => ++told === 9 && resolve())));
    open();
    const replies = await Promise.all(answers);
    expect(replies.map((reply) => reply.status).sort()).toEqual([204, ...Array<number>(9).fill(503)]);
    for (const reply of replies.filter(({ status }) => status === 503)) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post(urls[0] as string, sent)).status).toBe(204);
    expect(calls).toBe(1);
  });

  it('runs a handler that crashed again when the event comes again', async () => {
    const runs: number[] = [];
    const { url, problems } = await receiverOver({
      store: newStore(),
      handler: (event) => {
        runs.push(event.deliveryAttempt);
        if (event.deliveryAttempt === 1) throw new Error('crashed');
      },
    });
    const id = `evt_${crypto.randomUUID()}`;
    const attempt = (deliveryAttempt: number) => signedExample('endpoint.test', { secret: exampleSecret, id, deliveryAttempt });
    expect((await post(url, await attempt(1))).status).toBe(500);
    expect((await post(url, await attempt(2))).status).toBe(204);
    expect((await post(url, await attempt(3))).status).toBe(204);
    expect(runs).toEqual([1, 2]);
    expect(problems).toEqual([expect.objectContaining({ stage: 'handler' })]);
  });

  it('lets a second process take over what the first died on, after the lease', async () => {
    const store = newStore();
    const first = await receiverOver({
      store,
      leaseSeconds: 0.3,
      maxHandlingSeconds: 0,
      handler: () => new Promise<void>(() => undefined),
    });
    const seen: string[] = [];
    const second = await receiverOver({ store, leaseSeconds: 30, handler: (event) => void seen.push(event.id) });
    const sent = await signedExample('endpoint.test', { secret: exampleSecret, id: `evt_${crypto.randomUUID()}` });
    const never = post(first.url, sent).catch(() => undefined);
    let reply = await post(second.url, sent);
    for (let tries = 0; reply.status === 503 && tries < 50; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      reply = await post(second.url, sent);
    }
    expect(reply.status).toBe(204);
    expect(seen).toEqual([sent.headers['webhook-id']]);
    servers[0]?.closeAllConnections();
    await never;
  });
});

describe('the node handler', () => {
  it('refuses a forged request with 400 and its code', async () => {
    const { url } = await receiverOver();
    const sent = await signedExample('endpoint.test', { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' });
    expect(await post(url, sent)).toMatchObject({ status: 400, text: '{"code":"signature_mismatch"}' });
  });
  it.each(['GET', 'PUT', 'HEAD', 'OPTIONS'])('answers %s with 405 and what is allowed', async (method) => {
    const { url } = await receiverOver();
    const response = await fetch(url, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
  it('takes a body of exactly the limit, and answers one byte more with 413', async () => {
    const sent = await signedExample('endpoint.test', { secret: exampleSecret });
    const exact = await receiverOver({ options: { maxBodyBytes: sent.body.length } });
    expect((await post(exact.url, sent)).status).toBe(204);
    const short = await receiverOver({ options: { maxBodyBytes: sent.body.length - 1 } });
    expect((await post(short.url, sent)).status).toBe(413);
  });
  it('answers a large body that did not tell its length with 413, before it ends', async () => {
    const { url, problems } = await receiverOver({ options: { maxBodyBytes: 1_000 } });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(url, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } }, (response) => {
        resolve(response.statusCode);
        response.resume();
        sending.destroy();
      });
      sending.on('error', reject);
      sending.write('x'.repeat(800));
      sending.write('x'.repeat(800));
    });
    expect([status, problems]).toEqual([413, []]);
  });
  it('survives a caller who hangs up in the middle of the body, and calls nobody', async () => {
    let calls = 0;
    const { url, problems } = await receiverOver({ handler: () => void calls++ });
    const { port } = new URL(url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"half":');
        setTimeout(() => socket.destroy(), 50);
      });
      socket.on('close', () => resolve());
    });
    const sent = await signedExample('endpoint.test', { secret: exampleSecret });
    expect((await post(url, sent)).status).toBe(204);
    expect([calls, problems]).toEqual([1, []]);
  });
  it('takes the bytes that a framework kept, and names the mistake when it kept none', async () => {
    const read = async (message: IncomingMessage): Promise<Buffer> => {
      const chunks: Buffer[] = [];
      for await (const chunk of message) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    };
    const sent = await signedExample('endpoint.test', { secret: exampleSecret });
    const raw = await receiverOver({ before: async (message) => void Object.assign(message, { body: await read(message) }) });
    expect((await post(raw.url, sent)).status).toBe(204);
    const both = await receiverOver({
      before: async (message) => {
        const rawBody = await read(message);
        Object.assign(message, { rawBody, body: JSON.parse(rawBody.toString()) as unknown });
      },
    });
    expect((await post(both.url, sent)).status).toBe(204);
    const parsed = await receiverOver({
      before: async (message) => void Object.assign(message, { body: JSON.parse((await read(message)).toString()) as unknown }),
    });
    expect(await post(parsed.url, sent)).toMatchObject({ status: 500, text: '{"code":"misconfigured"}' });
    expect(parsed.problems).toEqual([expect.objectContaining({ error: expect.objectContaining({ code: 'body_not_bytes' }) })]);
    const lost = await receiverOver({ before: async (message) => void (await read(message)) });
    expect((await post(lost.url, sent)).status).toBe(500);
  });
});
