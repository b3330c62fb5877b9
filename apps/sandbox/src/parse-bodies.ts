import type { FastifyInstance } from 'fastify';

/** The body could not be read; each provider says so in its own way. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
  /** Read by Fastify when no handler of ours is nearer. */
  readonly statusCode = 400;
}

/** JSON becomes a value, a form becomes `URLSearchParams`, and anything else is refused, as a provider would. */
export function parseBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      done(null, JSON.parse(String(body)));
    } catch {
      done(new UnreadableBody('The body is not JSON.'));
    }
  });
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, new URLSearchParams(String(body)));
  });
}
