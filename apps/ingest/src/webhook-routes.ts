import type { Answer, InboundProvider, RawRequest } from '@tributary/providers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AcceptParts, type Accepted, acceptWebhook } from './accept-webhook.js';
import { providerAnswer } from './provider-answer.js';
import { drainRefused } from './drain-refused.js';
import { StorageUnavailable } from './storage-fault.js';

export interface RouteParts {
  readonly accept: AcceptParts;
  readonly providers: readonly InboundProvider[];
  /** Told of each delivery that a fault of ours turned away. */
  onFault(provider: string, error: unknown): void;
  count(provider: string, accepted: Accepted, ms: number): void;
}

type KeyedRequest = FastifyRequest<{ Params: { appKey: string } }>;
const NOTHING = Buffer.alloc(0);

/**
 * `ANY /in/:provider/:appKey`, as plain Fastify routes: a Nest controller would cost a fifth of the throughput here. One route for
 * each provider, since body limits are theirs. Bodies stay bytes, whatever their content type says.
 */
export function webhookRoutes(instance: FastifyInstance, parts: RouteParts): void {
  instance.register((scope, _options, ready) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, body);
    });
    // Fastify refuses a content type that it cannot parse (415) before the bytes could be proved. RawRequest has the original.
    scope.addHook('onRequest', (request, _reply, done) => {
      delete request.raw.headers['content-type'];
      done();
    });
    for (const provider of parts.providers) {
      scope.all<{ Params: { appKey: string } }>(`/in/${provider.id}/:appKey`, {
        bodyLimit: provider.facts.maxBodyBytes,
        handler: (request, reply) => receive(parts, provider, request, reply),
        errorHandler: (error, _request, reply) => refuse(parts, provider, error, reply),
      });
    }
    // Answered before the body is read, and without Nest's echo of the path.
    scope.all(
      '/in/*',
      {
        onRequest: (_request, reply) => {
          void send(reply, providerAnswer({ answer: { status: 404 }, counted: 'not_found' }));
        },
      },
      () => undefined,
    );
    ready();
  });
}

async function receive(parts: RouteParts, provider: InboundProvider, request: KeyedRequest, reply: FastifyReply): Promise<FastifyReply> {
  const started = performance.now();
  let accepted: Accepted;
  try {
    accepted = await acceptWebhook(parts.accept, provider, request.params.appKey, rawRequest(request));
  } catch (error) {
    accepted = unavailable(parts, provider, error);
  }
  parts.count(provider.id, accepted, performance.now() - started);
  return send(reply, providerAnswer(accepted));
}

/** Told to come back, whatever went wrong: a fault of ours must not lose a delivery. */
function unavailable({ onFault }: RouteParts, provider: InboundProvider, error: unknown): Accepted {
  const why = error instanceof StorageUnavailable ? error.why : 'fault';
  if (why !== 'overloaded' && why !== 'late') onFault(provider.id, error);
  return { answer: provider.answer('unavailable'), counted: 'unavailable', code: why };
}

/** The body did not come whole: too large, or other than announced. */
function refuse(parts: RouteParts, provider: InboundProvider, error: unknown, reply: FastifyReply): void {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  let accepted: Accepted;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') accepted = { answer: provider.answer('too-large'), counted: 'too_large' };
  else if (statusCode === 400) accepted = { answer: { status: 400 }, counted: 'refused', code: 'body_length' };
  else accepted = unavailable(parts, provider, error);
  parts.count(provider.id, accepted, 0);
  if (accepted.counted === 'too_large') {
    // Fastify would have the connection closed while the sender still sends; they would meet a reset and never read why.
    reply.header('connection', 'keep-alive');
    drainRefused(reply.request.raw);
  }
  void send(reply, providerAnswer(accepted));
}

function rawRequest(request: KeyedRequest): RawRequest {
  const { method, url } = request;
  const headers = new Map<string, string>();
  const { rawHeaders } = request.raw;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    const value = rawHeaders[at + 1] as string;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const question = url.indexOf('?');
  return {
    method,
    url,
    headers,
    query: new URLSearchParams(question < 0 ? '' : url.slice(question)),
    body: Buffer.isBuffer(request.body) ? request.body : NOTHING,
  };
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  reply.code(status);
  if (headers !== undefined) reply.headers(headers);
  return reply.send(body);
}
