import { replyTo } from '../receiver-outcome.js';
import { type Receiver } from '../receiver.js';
import { joined } from './fetch.js';

/** The part of `node:http`'s IncomingMessage (and of Express's and Fastify's raw request) that is used. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly readableEnded?: boolean;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of `node:http`'s ServerResponse that is used. */
export interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body?: string): unknown;
  destroy(): unknown;
}

export interface NodeHandlerOptions {
  /** Larger requests are answered 413 and not read to their end. Default 1 MiB; events stay far below. */
  readonly maxBodyBytes?: number;
  /** The endpoint of a request, where one receiver serves several. Default: that of the receiver. */
  readonly endpointOf?: (request: NodeRequest) => string;
}

type Body = { readonly is: 'read'; readonly body: unknown } | { readonly is: 'too-large' } | { readonly is: 'broken-off' };

/**
 * A request listener for `node:http`, and a handler for Express. Reads the raw bytes itself. Never throws: 405 for what is not
 * POST, 413 for what is too large, nothing for a caller who hung up, else what {@link replyTo} says.
 */
export function nodeHandler(
  receiver: Pick<Receiver, 'receive'>,
  options: NodeHandlerOptions = {},
): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => {
    answer(receiver, request, response, options).catch(() => {
      if (response.headersSent) response.destroy();
      else send(response, 500, { 'content-type': 'application/json' }, '{"code":"not_handled"}');
    });
  };
}

async function answer(
  receiver: Pick<Receiver, 'receive'>,
  request: NodeRequest,
  response: NodeResponse,
  options: NodeHandlerOptions,
): Promise<void> {
  const { maxBodyBytes = 1_048_576, endpointOf } = options;
  if (request.method !== 'POST') return send(response, 405, { allow: 'POST' });
  const body = await rawBody(request, maxBodyBytes);
  if (body.is === 'broken-off') return void response.destroy();
  // The rest of the body is not worth reading, so the connection cannot be used again.
  if (body.is === 'too-large') return send(response, 413, { connection: 'close' });
  const endpoint = endpointOf === undefined ? {} : { endpoint: endpointOf(request) };
  const reply = replyTo(await receiver.receive({ body: body.body as Uint8Array, headers: request.headers, ...endpoint }));
  send(response, reply.status, reply.headers, reply.body);
}

/** Bytes that a framework kept count as well; what it parsed is passed on too, and refused by name. */
async function rawBody(request: NodeRequest, maxBytes: number): Promise<Body> {
  const { rawBody: kept, body: parsed } = request as { rawBody?: unknown; body?: unknown };
  const given = [kept, parsed].find((body) => ArrayBuffer.isView(body) || typeof body === 'string');
  if (given === undefined && !request.readableEnded) return readBody(request, maxBytes);
  const size = typeof given === 'string' ? given.length : ArrayBuffer.isView(given) ? given.byteLength : 0;
  return size > maxBytes ? { is: 'too-large' } : { is: 'read', body: given ?? parsed };
}

function readBody(request: NodeRequest, maxBytes: number): Promise<Body> {
  return new Promise((resolve) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return resolve({ is: 'too-large' });
    let chunks: Uint8Array[] = [];
    let size = 0;
    request.on('data', (chunk) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        chunks = [];
        resolve({ is: 'too-large' });
      }
    });
    request.on('end', () => resolve({ is: 'read', body: joined(chunks, size) }));
    request.on('error', () => resolve({ is: 'broken-off' }));
    request.on('close', () => resolve({ is: 'broken-off' }));
  });
}

function send(response: NodeResponse, status: number, headers: Readonly<Record<string, string>>, body = ''): void {
  response.writeHead(status, {
    ...headers,
    ...(status === 204 ? {} : { 'content-length': String(new TextEncoder().encode(body).length) }),
  });
  response.end(body);
}
