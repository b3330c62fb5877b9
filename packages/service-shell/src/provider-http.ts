import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';

/** Structurally the `ProviderHttp` that adapters are lent (packages/providers). */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface IncomingReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export interface ProviderHttpOptions {
  /** Origins that may be dialled, `https://host[:port]`. Everything else is refused before a socket is opened. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** From the request to the last byte of the answer. */
  readonly deadlineMs: number;
  readonly maxReplyBytes: number;
  /** Makes the error of a request without a whole answer; `code` is stable, e.g. `timeout`, `too_large`, `ECONNRESET`. */
  readonly unreachable: (code: string, cause: unknown) => Error;
}

/** The one client that talks to providers. Follows no redirects, so a token cannot be led elsewhere. */
export function createProviderHttp({ allowedOrigins, deadlineMs, maxReplyBytes, unreachable }: ProviderHttpOptions) {
  const agent = new Agent({ connections: 32, keepAliveTimeout: 10_000, connect: { timeout: 5_000 } });
  return {
    async send({ method, url, headers, body }: OutgoingRequest): Promise<IncomingReply> {
      if (!allowedOrigins.has(new URL(url).origin)) throw unreachable('origin_not_allowed', undefined);
      const signal = AbortSignal.timeout(deadlineMs);
      try {
        const reply = await request(url, {
          method,
          headers: { ...headers, 'accept-encoding': 'identity' },
          body: body ?? null,
          dispatcher: agent,
          signal,
        });
        return {
          status: reply.statusCode,
          headers: Object.fromEntries(
            Object.entries(reply.headers).map(([k, v]) => [k.toLowerCase(), Array.isArray(v) ? v.join(', ') : v]),
          ),
          body: await readWhole(reply.body, maxReplyBytes, unreachable),
        };
      } catch (error) {
        if (signal.aborted) throw unreachable('timeout', error);
        const code = (error as NodeJS.ErrnoException).code;
        throw code === undefined ? error : unreachable(code, error);
      }
    },
    close: () => agent.close(),
  };
}

async function readWhole(body: Readable, maxBytes: number, unreachable: ProviderHttpOptions['unreachable']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      body.destroy();
      throw unreachable('too_large', undefined);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
