import { VerificationError } from './verification-error.js';

/** The request body as it came over the wire. Text only if nothing decoded and encoded it on the way. */
export type BodyInput = Uint8Array | ArrayBuffer | string;

const remedy =
  'Pass on the bytes as they came. ' +
  "Express: express.raw({ type: '*/*' }) on this route, before express.json(). " +
  "Fastify: addContentTypeParser('*', { parseAs: 'buffer' }, …) in a plugin of its own. " +
  'NestJS: NestFactory.create(App, { rawBody: true }), request.rawBody. ' +
  'Next.js, Hono, Deno, Bun, Workers: await request.arrayBuffer(). ' +
  'Lambda: event.body, base64-decoded if event.isBase64Encoded.';

/** @throws VerificationError `body_too_large`; `body_not_bytes`, with the remedy for each framework */
export function bodyBytes(body: unknown, maxBytes: number): Uint8Array {
  const bytes = asBytes(body, maxBytes);
  if (bytes.length <= maxBytes) return bytes;
  throw new VerificationError('body_too_large', `The body is larger than ${maxBytes} bytes (maxBodyBytes).`);
}

function asBytes(body: unknown, maxBytes: number): Uint8Array {
  if (ArrayBuffer.isView(body) && body instanceof Uint8Array) return body;
  // One character more than the limit is a byte more at least, and needs no encoding to be refused.
  if (typeof body === 'string') return new TextEncoder().encode(body.slice(0, maxBytes + 1));
  // By tag, too, because a Buffer or an array of another realm (a test runner, a sandbox) is no `instanceof` of ours.
  const tag = Object.prototype.toString.call(body);
  if (tag === '[object Uint8Array]') return body as Uint8Array;
  if (tag === '[object ArrayBuffer]') return new Uint8Array(body as ArrayBuffer);
  const given = body === undefined || body === null ? 'There is no body: it was read before.' : 'The body is a parsed object, not bytes.';
  throw new VerificationError('body_not_bytes', `${given} ${remedy}`);
}
