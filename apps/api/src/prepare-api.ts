import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Problem, problemCodes } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import type { FastifyInstance } from 'fastify';
import { rememberRoutes } from './answers/allowed-methods.js';
import { problemPage } from './answers/problem-pages.js';
import { refuseWhileClosing } from './answers/refuse-while-closing.js';
import { KeptAnswers } from './idempotency/kept-answers.js';
import { parseForms } from './connect-pages/parse-forms.js';
import { serveDocs } from './openapi/serve-docs.js';
import { followRequests } from './tenancy/follow-request.js';

/** A caller's own id is taken when it can stand in a log line and a header as it is. */
const USABLE_REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** What stands between the socket and the controllers: request ids, whose rows are seen, one body parser, kept answers, the documentation. */
export function prepareApi(app: NestFastifyApplication, { docsPage }: { docsPage: boolean }): void {
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  rememberRoutes(server);
  server.setGenReqId(({ headers }) => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && USABLE_REQUEST_ID.test(given) ? given : newId('req');
  });
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  refuseWhileClosing(server);
  followRequests(server);
  const answers = app.get(KeptAnswers);
  server.addHook('onSend', (request, reply, payload, done) => {
    if (!answers.claimed(request)) return done(null, payload);
    void answers.end(request, reply, payload).then(() => done(null, payload));
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
  serveProblems(server);
  parseForms(server);
  serveDocs(app, docsPage);
}

/** What `type` of every problem points at. */
function serveProblems(server: FastifyInstance): void {
  const page = (code: Parameters<typeof problemPage>[0]) => Buffer.from(problemPage(code));
  server.get('/problems', (_request, reply) => reply.type('text/html; charset=utf-8').send(page(undefined)));
  for (const code of problemCodes) {
    server.get(`/problems/${code}`, (_request, reply) => reply.type('text/html; charset=utf-8').send(page(code)));
  }
}
