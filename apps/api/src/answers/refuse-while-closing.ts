import { Problem } from '@tributary/domain';
import type { FastifyInstance } from 'fastify';
import { problemBody, sendProblem } from './problem.filter.js';

/** What a connection that is still open sends while the process ends. */
export function refuseWhileClosing(server: FastifyInstance): void {
  let closing = false;
  server.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (!closing) return done();
    void reply.headers({ connection: 'close', 'retry-after': '1' });
    const problem = new Problem('shutting_down', 'This process is ending. Nothing of this request was kept; send it again at once.');
    sendProblem(reply, problemBody(problem, request.id));
  });
}
