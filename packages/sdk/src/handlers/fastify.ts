import { replyTo } from '../receiver-outcome.js';
import { type Receiver } from '../receiver.js';

/** The part of Fastify's request that is used. */
export interface FastifyRequestPart {
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: unknown;
}

/**
 * What is used of a Fastify instance, by name only: the types of Fastify's methods are overloads that change with its major versions, and
 * an instance of any of them fits here.
 */
export interface FastifyPart {
  removeAllContentTypeParsers(...args: never[]): unknown;
  addContentTypeParser(...args: never[]): unknown;
  post(...args: never[]): unknown;
}

interface FastifyReply {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(payload?: string): unknown;
}

/** The same methods as they are called. */
interface Routing {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: unknown, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(
    path: string,
    options: { bodyLimit: number },
    handler: (request: FastifyRequestPart, reply: FastifyReply) => Promise<unknown>,
  ): unknown;
}

export interface FastifyReceiverOptions {
  /** Default `/webhooks/tributary`. */
  readonly path?: string;
  /** Larger requests are answered 413. Default 1 MiB; events stay far below. */
  readonly maxBodyBytes?: number;
  /** The endpoint of a request, where one receiver serves several. Default: that of the receiver. */
  readonly endpointOf?: (request: FastifyRequestPart) => string;
}

/**
 * A plugin: `app.register(fastifyReceiver(receiver, { path: '/webhooks/tributary' }))`. Bodies stay bytes inside the plugin and nowhere
 * else, since Fastify keeps content type parsers to the plugin that adds them: do not wrap it with `fastify-plugin`.
 */
export function fastifyReceiver(
  receiver: Pick<Receiver, 'receive'>,
  options: FastifyReceiverOptions = {},
): (instance: FastifyPart) => Promise<void> {
  const { path = '/webhooks/tributary', maxBodyBytes: bodyLimit = 1_048_576, endpointOf } = options;
  return async (instance) => {
    const routing: Routing = instance;
    routing.removeAllContentTypeParsers();
    routing.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_, body, done) => done(null, body));
    routing.post(path, { bodyLimit }, async (request, reply) => {
      const endpoint = endpointOf === undefined ? {} : { endpoint: endpointOf(request) };
      // Without a content type Fastify reads no body: what is signed is then the empty one.
      const body = (request.body ?? new Uint8Array()) as Uint8Array;
      const answer = replyTo(await receiver.receive({ body, headers: request.headers, ...endpoint }));
      reply.code(answer.status);
      reply.headers({ ...answer.headers });
      return reply.send(answer.status === 204 ? undefined : answer.body);
    });
  };
}
