import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type RequestAccess, inThisRequest, withAccess } from './request-access.js';

/** Lets every request carry whose rows it may see, from its first hook to the last byte of a streamed answer. */
export function followRequests(server: FastifyInstance): void {
  const held = new WeakMap<FastifyRequest, RequestAccess>();
  server.addHook('onRequest', (request, _reply, done) => {
    const access: RequestAccess = { access: { is: 'undecided' } };
    held.set(request, access);
    withAccess(access, done);
  });
  // A body comes in events of the socket, which know of no request.
  server.addHook('preValidation', (request, _reply, done) => {
    withAccess(held.get(request) ?? { access: { is: 'undecided' } }, done);
  });
  server.addHook('onSend', (_request, _reply, payload, done) => {
    if (payload instanceof Readable) payload._read = inThisRequest(payload._read.bind(payload));
    done(null, payload);
  });
}
