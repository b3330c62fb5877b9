import { EventEmitter, once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { addressPolicy } from './allowed-address.js';
import { createPoster, limits } from './post-to-endpoint.js';

// Endpoints that answer what no server should. doubles: the name server.  oracles: the result, and what became of the connection.
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server of bytes: what it does with each request that it reads. */
async function server(answer: (socket: net.Socket, connection: number) => void) {
  const seen = { connections: 0, requests: [] as string[], sent: 0 };
  const hungUp = new EventEmitter();
  const sockets = new Set<net.Socket>();
  const listening = net.createServer((socket) => {
    seen.connections += 1;
    const connection = seen.connections;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => hungUp.emit('close'));
    socket.on('data', (bytes) => {
      seen.requests.push(bytes.toString('latin1'));
      answer(socket, connection);
    });
  });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((closed) => listening.close(closed));
  });
  return { seen, hungUp, url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/` };
}

function poster(deadlineMs = 5_000, networks = ['127.0.0.0/8']) {
  const made = createPoster({ policy: addressPolicy(networks), resolve: async () => ['127.0.0.1'], clock: Date.now, deadlineMs });
  closing.push(() => made.close());
  return (url: string) => made.post({ url, environment: 'test', headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') });
}

/** Writes again and again, as fast as it is taken, until the other side hangs up. */
function pour(socket: net.Socket, piece: string | Buffer): void {
  const more = (): void => {
    if (socket.destroyed) return;
    if (socket.write(piece)) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
}

const answered = (status: number) => ({ is: 'answered', status, retryAfter: undefined });
const unanswered = (why: string) => ({ is: 'unanswered', why });
const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';

describe('an answer without measure', () => {
  it('300 kB with its length: the first 64 kB are kept and nothing more is read', async () => {
    const body = Buffer.from(Array.from({ length: 300 * 1_024 }, (_, n) => 97 + (n % 26)));
    const target = await server((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    const gone = once(target.hungUp, 'close');
    const result = await poster()(target.url);
    expect(result.reply).toEqual(answered(200));
    expect(result.responseBody?.equals(body.subarray(0, limits.replyBytesKept))).toBe(true);
    await gone;
  });

  it('a length of a terabyte reserves nothing: it is cut like any other', async () => {
    const target = await server((socket) => {
      socket.write('HTTP/1.1 500 No\r\ncontent-length: 1099511627776\r\n\r\n');
      pour(socket, Buffer.alloc(16_384, 'x'));
    });
    const result = await poster()(target.url);
    expect(result).toMatchObject({ reply: answered(500), status: 500 });
    expect(result.responseBody).toHaveLength(limits.replyBytesKept);
  });

  it('chunks for ever: cut at 64 kB, and the connection closed', async () => {
    const target = await server((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      pour(socket, `400\r\n${'y'.repeat(1_024)}\r\n`);
    });
    const gone = once(target.hungUp, 'close');
    const result = await poster()(target.url);
    expect(result.reply).toEqual(answered(200));
    expect(result.responseBody).toHaveLength(limits.replyBytesKept);
    await gone;
  });

  it('chunks of one byte, each in time: a timeout at the deadline, with what had come', async () => {
    const target = await server((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const drip = setInterval(() => socket.write('1\r\nz\r\n'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    const gone = once(target.hungUp, 'close');
    const result = await poster(250)(target.url);
    expect(result).toMatchObject({ reply: unanswered('timeout'), status: 200 });
    expect(result.responseBody?.toString()).toMatch(/^z+$/);
    expect(result.durationMs).toBeLessThan(2_000);
    await gone;
  });

  it('a head that drips, byte by byte: a timeout', async () => {
    const head = 'HTTP/1.1 200 OK\r\nx-long: ';
    const target = await server((socket) => {
      let at = 0;
      const drip = setInterval(() => socket.write(head[at++] ?? 'a'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    const result = await poster(250)(target.url);
    expect(result).toMatchObject({ reply: unanswered('timeout'), status: undefined });
    expect(result.durationMs).toBeLessThan(2_000);
  });

  it.each([
    ['one header without end', 'a'.repeat(1_024)],
    ['headers without number', 'x: y\r\n'],
    ['one header again and again', 'set-cookie: a=b\r\n'],
  ])('%s: no HTTP that we read, and the connection closed', async (_name, piece) => {
    const target = await server((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nfirst: ');
      pour(socket, piece);
    });
    const gone = once(target.hungUp, 'close');
    const result = await poster()(target.url);
    expect(result).toMatchObject({ reply: unanswered('bad_response'), status: undefined });
    await gone;
  });

  it('trailers without end: the delivery ends by the deadline and not by memory', async () => {
    const target = await server((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n');
      pour(socket, `t: ${'u'.repeat(500)}\r\n`);
    });
    const gone = once(target.hungUp, 'close');
    const result = await poster(3_000)(target.url);
    expect(result.reply).toEqual(unanswered('bad_response'));
    await gone;
  });

  it('many small headers within the limit: fifty are kept, no cookie among them', async () => {
    const lines = Array.from({ length: 200 }, (_, n) => `x-${n}: ${n}\r\nset-cookie: c${n}=1\r\n`).join('');
    const target = await server((socket) => socket.write(`HTTP/1.1 204 No Content\r\n${lines}\r\n`));
    const result = await poster()(target.url);
    expect(result.reply).toEqual(answered(204));
    expect(Object.keys(result.responseHeaders ?? {})).toHaveLength(limits.replyHeadersKept);
    expect(result.responseHeaders).not.toHaveProperty('set-cookie');
  });
});

describe('an answer that is none', () => {
  it('103 and then 204: the last one counts', async () => {
    const target = await server((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${NO_CONTENT}`));
    expect((await poster()(target.url)).reply).toEqual(answered(204));
  });

  it('103 for ever: a timeout', async () => {
    const target = await server((socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'));
    const result = await poster(300)(target.url);
    expect(result).toMatchObject({ reply: { is: 'unanswered' }, status: undefined });
    expect(result.durationMs).toBeLessThan(2_000);
  });

  it('100 Continue, which nobody asked for: a failure that is tried again, and no success', async () => {
    const target = await server((socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${NO_CONTENT}`));
    expect(await poster()(target.url)).toMatchObject({ reply: { is: 'unanswered' }, status: undefined });
    expect(target.seen.requests[0]?.toLowerCase()).not.toContain('expect:');
  });

  it('101 Switching Protocols: a failure, and the connection closed', async () => {
    const target = await server((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'));
    const gone = once(target.hungUp, 'close');
    expect(await poster(1_000)(target.url)).toMatchObject({ reply: { is: 'unanswered' } });
    await gone;
  });

  it.each([
    ['less than its length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nfive!', 'connection_closed'],
    ['half a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\nfive!', 'connection_closed'],
    ['half a head', 'HTTP/1.1 200 OK\r\nx-ha', 'connection_closed'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 'bad_response'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'bad_response'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n', 'bad_response'],
    ['a version of its own', 'HTTP/9.9 200 OK\r\n\r\n', 'bad_response'],
  ])('%s, then the end', async (_name, bytes, why) => {
    const target = await server((socket) => socket.end(bytes));
    expect((await poster()(target.url)).reply).toEqual(unanswered(why));
  });

  it('a second answer behind the first is nobody’s: the next request has its own', async () => {
    const smuggled = 'HTTP/1.1 500 Smuggled\r\ncontent-length: 0\r\n\r\n';
    const target = await server((socket, connection) => socket.write(connection === 1 ? NO_CONTENT + smuggled : NO_CONTENT));
    const post = poster();
    await post(target.url);
    expect((await post(target.url)).reply).toEqual(answered(204));
  });
});

describe('what an answer may not do', () => {
  it.each([301, 302, 303, 307, 308])('C095: %i to metadata or to another host is the answer, and is never followed', async (status) => {
    const elsewhere = await server((socket) => socket.write(NO_CONTENT));
    const places = ['http://169.254.169.254/latest/meta-data/', elsewhere.url];
    for (const place of places) {
      const target = await server((socket) => socket.write(`HTTP/1.1 ${status} Moved\r\nlocation: ${place}\r\ncontent-length: 0\r\n\r\n`));
      expect(await poster()(target.url)).toMatchObject({ reply: answered(status), status });
      expect(target.seen.connections).toBe(1);
    }
    expect(elsewhere.seen.connections).toBe(0);
  });

  it('C097: a private port that is open, one that is closed and one that is silent are told apart by nothing', async () => {
    const open = await server((socket) => socket.write(NO_CONTENT));
    const silent = await server(() => undefined);
    const closed = await server(() => undefined);
    await closing.pop()?.();
    const post = poster(1_000, []);
    const results = await Promise.all([open, silent, closed].map(({ url }) => post(url)));
    for (const result of results) {
      expect({ ...result, startedAt: 0 }).toEqual({
        reply: unanswered('address_refused'),
        startedAt: 0,
        firstByteAt: undefined,
        durationMs: 0,
        status: undefined,
        responseHeaders: undefined,
        responseBody: undefined,
      });
    }
    expect(open.seen.connections + silent.seen.connections).toBe(0);
  });

  it('C097: of 5 MB that a host answers, 64 kB are kept, and its cookies are not', async () => {
    const target = await server((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nset-cookie: internal=1\r\ncontent-length: ${5 * 2 ** 20}\r\n\r\n`);
      socket.write(Buffer.alloc(5 * 2 ** 20, 's'));
    });
    const result = await poster()(target.url);
    expect(result.responseBody).toHaveLength(limits.replyBytesKept);
    expect(result.responseHeaders).toEqual({ 'content-length': String(5 * 2 ** 20) });
  });
});
