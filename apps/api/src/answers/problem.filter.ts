import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, NotFoundException } from '@nestjs/common';
import { Problem } from '@tributary/domain';
import { type Logger, problemStatus } from '@tributary/service-shell';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { allowedMethods } from './allowed-methods.js';
import { problemOf } from './problem-of.js';
import { problemTitle, problemType } from './problem-pages.js';
import type { problemShape } from './problem-shape.js';
import { type z } from 'zod';

/** Every failure leaves here, as RFC 9457 says. What nobody foresaw is logged whole and shown as `internal` with the request's id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) return;
    // Readiness speaks its own shape.
    if (error instanceof HttpException && error.getStatus() === 503) {
      void reply.status(503).send(error.getResponse());
      return;
    }
    const problem = methodProblem(error, request, reply) ?? problemOf(error);
    if (problem.code === 'internal')
      this.log.error({ what: 'request.failed', requestId: request.id, route: request.routeOptions?.url, err: error });
    if (problem.code === 'storage_unavailable') {
      this.log.warn({ what: 'request.storage_unavailable', requestId: request.id, err: error });
      void reply.header('retry-after', '1');
    }
    if (problem.code === 'revision_not_reached') void reply.header('retry-after', '1');
    if (problem.code === 'unauthenticated') void reply.header('www-authenticate', 'Bearer realm="tributary"');
    const body = problemBody(problem, request.id);
    sendProblem(reply, body);
  }
}

/** Of a path that is there for other methods, and names them; undefined for everything else. */
function methodProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): Problem | undefined {
  if (!(error instanceof NotFoundException)) return undefined;
  const methods = allowedMethods(request.server, request.url);
  if (methods.length === 0 || methods.includes(request.method)) return undefined;
  void reply.header('allow', methods.join(', '));
  return new Problem('method_not_allowed', `${request.method} is no method of this route. It takes: ${methods.join(', ')}.`);
}

/** As bytes: Fastify adds a charset to text, which this media type does not have. */
export function sendProblem(reply: FastifyReply, body: z.infer<typeof problemShape>): void {
  void reply
    .status(body.status)
    .header('content-type', 'application/problem+json')
    .send(Buffer.from(JSON.stringify(body)));
}

export function problemBody(problem: Problem, requestId: string): z.infer<typeof problemShape> {
  return {
    type: problemType(problem.code),
    title: problemTitle(problem.code),
    status: problemStatus[problem.code],
    code: problem.code,
    detail: problem.message,
    faults: problem.faults.map(({ path, message }) => ({ path, message })),
    requestId,
  };
}
