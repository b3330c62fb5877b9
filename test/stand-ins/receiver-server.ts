import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** One request exactly as it came. */
export interface Received {
  /** Epoch milliseconds, when its last byte was read. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case; a repeated header is joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Name, value, name, value, as on the wire. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** What Tributary posts to a customer. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly deliveryAttempt: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly request: Received;
}

export type Behaviour =
  | {
      readonly do: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly afterMs?: number;
    }
  /** Reads the request and never answers. */
  | { readonly do: 'hang' }
  /** Answers 200 at once and then a byte now and again, without end. */
  | { readonly do: 'drip'; readonly everyMs: number }
  /** Reads the request, then cuts the connection. */
  | { readonly do: 'reset' };

export interface Receiver {
  /** `http://127.0.0.1:<port>`; stays the same over {@link Receiver.goDown} and {@link Receiver.comeBack}. */
  readonly url: string;
  /** Every request read to its end, oldest first, whatever it was answered. */
  readonly received: readonly Received[];
  /** Most requests that were unanswered at one moment. */
  readonly busiest: number;
  /** How to answer from now on; with a path, requests of that path only. */
  behave(behaviour: Behaviour, path?: string): void;
  /** How to answer the very next requests, before what {@link Receiver.behave} says. */
  behaveNext(...behaviours: readonly Behaviour[]): void;
  /** Bodies in the form of our events, oldest first. Throws on one that is not. */
  events(path?: string): ReceivedEvent[];
  /** How often each `webhook-id` came. */
  timesReceived(): ReadonlyMap<string, number>;
  /** Waits until `done` says so. Throws with what there is when it does not in time. */
  until(done: (received: readonly Received[]) => boolean, timeoutMs?: number): Promise<void>;
  clear(): void;
  /** Closes the port: connections are refused. */
  goDown(): Promise<void>;
  /** Opens the same port again. */
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** Decides by the request itself, e.g. to echo a handshake; undefined falls back to the behaviours. */
export type Decide = (request: Received) => Behaviour | undefined | Promise<Behaviour | undefined>;

const OK: Behaviour = { do: 'answer', status: 204 };

/** A customer's server over real HTTP that answers 204 and keeps everything, until it is told to misbehave. */
export async function startReceiver(options: { readonly port?: number; readonly decide?: Decide } = {}): Promise<Receiver> {
  const received: Received[] = [];
  const byPath = new Map<string, Behaviour>();
  const next: Behaviour[] = [];
  let usual: Behaviour = OK;
  let open = 0;
  let busiest = 0;

  const server = createServer((request, response) => {
    open += 1;
    busiest = Math.max(busiest, open);
    response.once('close', () => {
      open -= 1;
    });
    read(request)
      .then(async (whole) => {
        received.push(whole);
        const behaviour = (await options.decide?.(whole)) ?? next.shift() ?? byPath.get(whole.path) ?? usual;
        return act(behaviour, request, response);
      })
      .catch(() => response.destroy());
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  const close = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(options.port ?? 0);
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    received,
    get busiest() {
      return busiest;
    },
    behave(behaviour, path) {
      if (path === undefined) usual = behaviour;
      else byPath.set(path, behaviour);
    },
    behaveNext: (...behaviours) => {
      next.push(...behaviours);
    },
    events: (path) => received.filter((r) => path === undefined || r.path === path).map(asEvent),
    timesReceived: () => {
      const times = new Map<string, number>();
      for (const { headers } of received) {
        const id = headers['webhook-id'];
        if (id !== undefined) times.set(id, (times.get(id) ?? 0) + 1);
      }
      return times;
    },
    async until(done, timeoutMs = 10_000) {
      const end = Date.now() + timeoutMs;
      while (!done(received)) {
        if (Date.now() > end)
          throw new Error(`Not so after ${timeoutMs} ms; the receiver has ${received.length} requests: ${summary(received)}`);
        await wait(10);
      }
    },
    clear() {
      received.length = 0;
      next.length = 0;
      busiest = open;
    },
    goDown: close,
    comeBack: () => listen(port),
    stop: close,
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const url = new URL(request.url ?? '/', 'http://receiver');
  const headers = Object.entries(request.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]);
  return {
    at: Date.now(),
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    rawHeaders: request.rawHeaders,
    body: Buffer.concat(chunks),
  };
}

async function act(behaviour: Behaviour, request: IncomingMessage, response: ServerResponse): Promise<void> {
  switch (behaviour.do) {
    case 'answer':
      if (behaviour.afterMs !== undefined) await wait(behaviour.afterMs);
      response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
      return;
    case 'hang':
      return;
    case 'drip':
      response.writeHead(200, { 'content-type': 'text/plain' });
      while (!response.destroyed) {
        response.write('.');
        await wait(behaviour.everyMs);
      }
      return;
    case 'reset':
      request.socket.destroy();
  }
}

function asEvent(request: Received): ReceivedEvent {
  const body = JSON.parse(request.body.toString()) as Omit<ReceivedEvent, 'id' | 'request'>;
  const id = request.headers['webhook-id'];
  if (id === undefined) throw new Error(`A request to ${request.path} has no webhook-id`);
  return { id, type: body.type, timestamp: body.timestamp, deliveryAttempt: body.deliveryAttempt, data: body.data, request };
}

const summary = (received: readonly Received[]): string =>
  received
    .slice(-5)
    .map((r) => `${r.method} ${r.path} ${r.headers['webhook-id'] ?? ''}`)
    .join('; ');
