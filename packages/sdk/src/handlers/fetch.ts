import { replyTo } from '../receiver-outcome.js';
import { type Receiver } from '../receiver.js';

export interface FetchHandlerOptions {
  /** Larger requests are answered 413 and not read to their end. Default 1 MiB; events stay far below. */
  readonly maxBodyBytes?: number;
  /** The endpoint of a request, where one receiver serves several. Default: that of the receiver. */
  readonly endpointOf?: (request: Request) => string;
}

/**
 * `Request` in, `Response` out: Next.js route handlers, Hono, Workers, Deno, Bun. Reads the raw bytes itself, so nothing may have read the
 * body before. 405 for what is not POST, 413 for what is too large, else what `replyTo` says. Rejects only if the body breaks off.
 */
export function fetchHandler(
  receiver: Pick<Receiver, 'receive'>,
  options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const { maxBodyBytes = 1_048_576, endpointOf } = options;
  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    // A body that was read before is passed on as none at all, and refused by name.
    const body = request.bodyUsed ? undefined : await limitedBody(request, maxBodyBytes);
    if (body === 'too-large') return new Response(null, { status: 413 });
    const endpoint = endpointOf === undefined ? {} : { endpoint: endpointOf(request) };
    const reply = replyTo(await receiver.receive({ body: body as Uint8Array, headers: request.headers, ...endpoint }));
    return new Response(reply.status === 204 ? null : reply.body, { status: reply.status, headers: reply.headers });
  };
}

async function limitedBody(request: Request, maxBytes: number): Promise<Uint8Array | 'too-large'> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return 'too-large';
  if (!request.body) return new Uint8Array(await request.arrayBuffer());
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value } = (await reader.read()) as { readonly value?: Uint8Array };
    if (value === undefined) return joined(chunks, size);
    size += value.length;
    if (size > maxBytes) {
      await reader.cancel().catch(() => undefined);
      return 'too-large';
    }
    chunks.push(value);
  }
}

/** The chunks as one: joined as bytes, since a character may lie in two of them. */
export function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
