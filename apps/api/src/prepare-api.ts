import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Problem } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { serveDocs } from './openapi/serve-docs.js';

/** What stands between the socket and the controllers: request ids, one body parser, the documentation. */
export function prepareApi(app: NestFastifyApplication, { docsPage }: { docsPage: boolean }): void {
  const server = app.getHttpAdapter().getInstance();
  server.setGenReqId(() => newId('req'));
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  server.removeAllContentTypeParsers();
  // An empty body is none, whatever its header says: routes without a body are often called with one.
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      done(null, JSON.parse(body as string));
    } catch {
      done(new Problem('malformed_request', 'The body is not valid JSON.'));
    }
  });
  serveDocs(app, docsPage);
}
