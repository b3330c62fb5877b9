import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { addressPolicy } from './allowed-address.js';
import { type PosterOptions, createPoster, limits } from './post-to-endpoint.js';
import { createResolver } from './resolve-host.js';

/** Made for these tests: valid for hooks.example only, from 2020 to 2120, signed by itself. */
const tls = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4QfnEGDrrcFBLTRK
YJGuX4xDrunHemLW8MppaEIwSUWhRANCAARArrgfpZGRHyWCHoq1jWc5lvbTSq8f
gwUhObDSbbpKSH9V1a4QQanKJ9dmZLwp0081V7Be7V5xjjLJP2yvN76n
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBazCCARCgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1ob29rcy5l
eGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1ob29rcy5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEQK64
H6WRkR8lgh6KtY1nOZb200qvH4MFITmw0m26Skh/VdWuEEGpyifXZmS8KdNPNVew
Xu1ecY4yyT9srze+p6NJMEcwGAYDVR0RBBEwD4INaG9va3MuZXhhbXBsZTAMBgNV
HRMEBTADAQH/MB0GA1UdDgQWBBRd+mXoROWvPjMH4oGCjQtFLcAChDAKBggqhkjO
PQQDAgNJADBGAiEA4jWVh8j0iKYuOtYq4oxK3SU2DKhTTYAsmzBoXrMxfQ4CIQCj
DRWgagpN0CtJebyjy3NpaIq5Ps93BHV8oK5h2USXfQ==
-----END CERTIFICATE-----`,
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const home = addressPolicy(['127.0.0.0/8']);
function poster(options: Partial<PosterOptions> = {}) {
  const made = createPoster({ policy: home, resolve: async () => ['127.0.0.1'], clock: Date.now, deadlineMs: 5_000, ...options });
  closing.push(() => made.close());
  return (url: string, environment: 'live' | 'test' = 'test') =>
    made.post({ url, environment, headers: { 'content-type': 'application/json', 'x-test': '1' }, body: Buffer.from('{"é":"😀"}') });
}
/** An endpoint that keeps what it is sent, and answers 204 unless told otherwise. */
async function receiver() {
  const requests: {
    method: string | undefined;
    path: string | undefined;
    headers: http.IncomingHttpHeaders;
    body: Buffer;
    fromPort: number;
  }[] = [];
  let answer = (response: http.ServerResponse): void => void response.writeHead(204).end();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers, socket } = request;
      requests.push({ method, path, headers, body: Buffer.concat(chunks), fromPort: socket.remotePort ?? 0 });
      answer(response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () =>
    new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
  closing.push(close);
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    port,
    url: `http://127.0.0.1:${port}/hooks`,
    close,
    answers: (next: typeof answer) => {
      answer = next;
    },
  };
}
/** A server that speaks bytes, not HTTP. */
async function rawServer(onConnection: (socket: net.Socket) => void): Promise<{ port: number; connections: number[] }> {
  const connections: number[] = [];
  const server = net.createServer((socket) => {
    connections.push(socket.remotePort ?? 0);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => new Promise((closed) => server.close(closed)));
  return { port: (server.address() as AddressInfo).port, connections };
}
const unanswered = (why: string) => ({ is: 'unanswered', why });

describe('posting to an endpoint', () => {
  it('sends the very bytes and headers, and brings back the whole answer', async () => {
    const target = await receiver();
    target.answers((response) => response.writeHead(201, { 'x-trace': 'abc', 'set-cookie': 'session=1' }).end('thanks'));
    const result = await poster()(`${target.url}?token=a%20b`);
    expect(result).toMatchObject({ reply: { is: 'answered', status: 201, retryAfter: undefined }, status: 201 });
    expect(result.responseBody?.toString()).toBe('thanks');
    expect(result.responseHeaders).toMatchObject({ 'x-trace': 'abc' });
    expect(result.responseHeaders).not.toHaveProperty('set-cookie');
    expect(result.firstByteAt).toBeGreaterThanOrEqual(result.startedAt);
    expect(target.requests).toHaveLength(1);
    expect(target.requests[0]).toMatchObject({
      method: 'POST',
      path: '/hooks?token=a%20b',
      headers: { host: `127.0.0.1:${target.port}`, 'x-test': '1', 'content-length': '13' },
    });
    expect(target.requests[0]?.body).toEqual(Buffer.from('{"é":"😀"}'));
  });

  it('uses connections again: a request in the same turn as the last answer needs a second one, a hundred need no third', async () => {
    const target = await receiver();
    const post = poster();
    for (let n = 0; n < 100; n += 1) await post(target.url);
    expect(target.requests).toHaveLength(100);
    expect(new Set(target.requests.map(({ fromPort }) => fromPort)).size).toBeLessThanOrEqual(2);
  });

  it('does not follow a redirect', async () => {
    const [target, elsewhere] = [await receiver(), await receiver()];
    target.answers((response) => response.writeHead(307, { location: elsewhere.url }).end());
    expect((await poster()(target.url)).reply).toEqual({ is: 'answered', status: 307, retryAfter: undefined });
    expect(target.requests).toHaveLength(1);
    expect(elsewhere.requests).toHaveLength(0);
  });

  it('hands on Retry-After', async () => {
    const target = await receiver();
    target.answers((response) => response.writeHead(429, { 'retry-after': '7' }).end());
    expect((await poster()(target.url)).reply).toEqual({ is: 'answered', status: 429, retryAfter: '7' });
  });

  it('cuts an endless answer at 64 kB without calling it a failure', async () => {
    const target = await receiver();
    let hungUp = false;
    target.answers((response) => {
      response.writeHead(200);
      const more = setInterval(() => response.write(Buffer.alloc(30_000, 'x')), 1);
      response.on('close', () => {
        hungUp = true;
        clearInterval(more);
      });
    });
    const result = await poster()(target.url);
    expect(result.reply).toEqual({ is: 'answered', status: 200, retryAfter: undefined });
    expect(result.responseBody).toHaveLength(limits.replyBytesKept);
    await new Promise((wait) => setTimeout(wait, 100));
    expect(hungUp).toBe(true);
  });

  it('takes an answer of exactly 64 kB whole', async () => {
    const target = await receiver();
    target.answers((response) => response.writeHead(200).end(Buffer.alloc(65_536, 'y')));
    expect((await poster()(target.url)).responseBody).toEqual(Buffer.alloc(65_536, 'y'));
  });
});

describe('the deadline', () => {
  it('ends a request that is never answered', async () => {
    const target = await receiver();
    target.answers(() => undefined);
    const result = await poster({ deadlineMs: 150 })(target.url);
    expect(result).toMatchObject({ reply: unanswered('timeout'), status: undefined });
    expect(result.durationMs).toBeGreaterThanOrEqual(140);
    expect(result.durationMs).toBeLessThan(1_500);
  });

  it('ends an answer that drips, though every drop comes in time', async () => {
    const target = await receiver();
    target.answers((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const result = await poster({ deadlineMs: 200 })(target.url);
    expect(result).toMatchObject({ reply: unanswered('timeout'), status: 200 });
    expect(result.durationMs).toBeLessThan(1_500);
  });

  it('covers the name lookup, and does not send once it is over', async () => {
    const target = await receiver();
    let answerLookup = (_addresses: string[]) => {};
    const resolve = () =>
      new Promise<string[]>((answer) => {
        answerLookup = answer;
      });
    const result = await poster({ deadlineMs: 150, resolve })(`http://slow.example:${target.port}/`);
    expect(result).toMatchObject({ reply: unanswered('timeout'), firstByteAt: undefined });
    answerLookup(['127.0.0.1']);
    await new Promise((wait) => setTimeout(wait, 150));
    expect(target.requests).toHaveLength(0);
  });
});

describe('broken connections have their own words', () => {
  it('connection_refused: nobody listens', async () => {
    const target = await receiver();
    await target.close();
    expect((await poster()(target.url)).reply).toEqual(unanswered('connection_refused'));
  });

  it('connection_closed: hung up without an answer', async () => {
    const { port } = await rawServer((socket) => socket.once('data', () => socket.end()));
    expect((await poster()(`http://127.0.0.1:${port}/`)).reply).toEqual(unanswered('connection_closed'));
  });

  it('connection_closed: hung up in the middle of the answer, though it began with 200', async () => {
    const { port } = await rawServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhalf')),
    );
    expect(await poster()(`http://127.0.0.1:${port}/`)).toMatchObject({ reply: unanswered('connection_closed'), status: 200 });
  });

  it('connection_reset: cut off', async () => {
    const { port } = await rawServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect((await poster()(`http://127.0.0.1:${port}/`)).reply).toEqual(unanswered('connection_reset'));
  });

  it('bad_response: what answers does not speak HTTP', async () => {
    const { port } = await rawServer((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')));
    expect((await poster()(`http://127.0.0.1:${port}/`)).reply).toEqual(unanswered('bad_response'));
  });

  it('bad_response: a head without end', async () => {
    const { port } = await rawServer((socket) =>
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(limits.replyHeadBytes + 1_000)}`)),
    );
    expect((await poster()(`http://127.0.0.1:${port}/`)).reply).toEqual(unanswered('bad_response'));
  });

  it('tls_invalid: the other side does not speak TLS', async () => {
    const target = await receiver();
    expect((await poster()(`https://127.0.0.1:${target.port}/`)).reply).toEqual(unanswered('tls_invalid'));
    expect(target.requests).toHaveLength(0);
  });
});

describe('TLS', () => {
  async function secureReceiver() {
    const seen: { host: string | undefined; servername: unknown }[] = [];
    const server = https.createServer(tls, (request, response) => {
      seen.push({ host: request.headers.host, servername: (request.socket as TLSSocket).servername });
      response.end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    closing.push(
      () =>
        new Promise((closed) => {
          server.closeAllConnections();
          server.close(closed);
        }),
    );
    return { seen, port: (server.address() as AddressInfo).port };
  }

  it('refuses a certificate that nobody we trust has signed', async () => {
    const { port, seen } = await secureReceiver();
    expect((await poster()(`https://hooks.example:${port}/`)).reply).toEqual(unanswered('tls_invalid'));
    expect(seen).toHaveLength(0);
  });

  it('refuses a certificate of another name', async () => {
    const { port, seen } = await secureReceiver();
    expect((await poster({ ca: tls.cert })(`https://other.example:${port}/`)).reply).toEqual(unanswered('tls_invalid'));
    expect(seen).toHaveLength(0);
  });

  it('keeps server name and host while the address is pinned', async () => {
    const { port, seen } = await secureReceiver();
    expect((await poster({ ca: tls.cert })(`https://hooks.example:${port}/`, 'live')).reply).toMatchObject({ is: 'answered', status: 200 });
    expect(seen).toEqual([{ host: `hooks.example:${port}`, servername: 'hooks.example' }]);
  });
});

describe('where we do not send', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['decimal', '2130706433'],
    ['octal', '0177.0.0.1'],
    ['mapped', '[::ffff:7f00:1]'],
  ])('opens no connection to a private host given as %s', async (_name, host) => {
    const { port, connections } = await rawServer(() => undefined);
    const result = await poster({ policy: addressPolicy([]) })(`http://${host}:${port}/`);
    expect(result).toMatchObject({ reply: unanswered('address_refused'), firstByteAt: undefined });
    expect(connections).toEqual([]);
  });

  it.each([
    ['a private address', ['127.0.0.1']],
    ['a private address behind a public one', ['93.184.215.14', '127.0.0.1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['nothing', []],
  ])('opens no connection for a name that points to %s', async (_name, addresses) => {
    const { port, connections } = await rawServer(() => undefined);
    const result = await poster({ policy: addressPolicy([]), resolve: async () => addresses })(`http://rebind.example:${port}/`);
    expect(result.reply).toEqual(unanswered('address_refused'));
    expect(connections).toEqual([]);
  });

  it('asks for the name once, and dials what it has vetted: a second answer would never be used', async () => {
    const target = await receiver();
    let asked = 0;
    const resolve = async () => (++asked === 1 ? ['127.0.0.1'] : ['10.0.0.1']);
    const post = poster({ resolve });
    expect((await post(`http://rebind.example:${target.port}/`)).reply).toMatchObject({ is: 'answered', status: 204 });
    expect(asked).toBe(1);
    expect(target.requests[0]?.headers.host).toBe(`rebind.example:${target.port}`);
  });

  it('remembers what it thinks of a URL, and not what a name pointed to; a URL of another environment is another one', async () => {
    const target = await receiver();
    const policy = addressPolicy([]);
    const post = poster({ policy });
    for (const environment of ['test', 'live', 'test', 'live'] as const) {
      expect((await post('http://user@1.1.1.1/', environment)).reply).toEqual(unanswered('url_refused'));
      expect((await post(`http://127.0.0.1:${target.port}/`, environment)).reply).toEqual(unanswered('address_refused'));
      expect((await post(`ftp://127.0.0.1:${target.port}/`, environment)).reply).toEqual(unanswered('url_refused'));
      if (environment === 'live') expect((await post('http://1.1.1.1/', environment)).reply).toEqual(unanswered('url_refused'));
    }
    expect(target.requests).toHaveLength(0);
  });

  it('keeps that for a bounded number of URLs', async () => {
    const target = await receiver();
    const post = poster();
    for (let n = 0; n <= limits.vettedUrls; n += 1) await post(`ftp://127.0.0.1/${n}`);
    expect((await post(target.url)).reply).toMatchObject({ status: 204 });
    expect((await post('ftp://127.0.0.1/0')).reply).toEqual(unanswered('url_refused'));
  });

  it('vets again for every new connection', async () => {
    const target = await receiver();
    target.answers((response) => response.writeHead(204, { connection: 'close' }).end());
    let asked = 0;
    const post = poster({ resolve: async () => (++asked === 1 ? ['127.0.0.1'] : ['10.0.0.1']) });
    expect((await post(`http://rebind.example:${target.port}/`)).reply).toMatchObject({ status: 204 });
    expect((await post(`http://rebind.example:${target.port}/`)).reply).toEqual(unanswered('address_refused'));
    expect(target.requests).toHaveLength(1);
  });

  it('refuses when the name cannot be resolved', async () => {
    const resolve = async () => {
      throw Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' });
    };
    expect((await poster({ resolve })('http://broken.example/')).reply).toEqual(unanswered('dns_failed'));
  });

  it('localhost is this machine: refused, unless its network is named', async () => {
    const target = await receiver();
    const url = `http://localhost:${target.port}/`;
    const resolve = async () => {
      throw new Error('localhost is not asked for');
    };
    expect((await poster({ policy: addressPolicy([]), resolve })(url)).reply).toEqual(unanswered('address_refused'));
    expect((await poster({ resolve })(url)).reply).toMatchObject({ status: 204 });
    expect(target.requests).toHaveLength(1);
  });

  it('sends live events in clear only into a network that the operator named', async () => {
    const target = await receiver();
    const resolve = async (host: string) => [host === 'home.example' ? '127.0.0.1' : '93.184.215.14'];
    const post = poster({ resolve });
    expect((await post(`http://home.example:${target.port}/`, 'live')).reply).toMatchObject({ status: 204 });
    expect((await post(`http://away.example:${target.port}/`, 'live')).reply).toEqual(unanswered('address_refused'));
    expect((await post('http://93.184.215.14/', 'live')).reply).toEqual(unanswered('url_refused'));
  });

  it.each(['ftp://hooks.example/', 'http://user:word@127.0.0.1/', 'nonsense', ''])('refuses the URL %p', async (url) => {
    expect((await poster()(url)).reply).toEqual(unanswered('url_refused'));
  });
});

describe('resolving', () => {
  it('throws when no name server answers', async () => {
    const resolve = createResolver({ timeoutMs: 200 });
    await expect(resolve('name.invalid')).rejects.toThrow();
  });
});
