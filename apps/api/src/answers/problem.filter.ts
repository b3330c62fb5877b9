import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Problem } from '@tributary/domain';
import { type Logger, problemStatus } from '@tributary/service-shell';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { problemOf } from './problem-of.js';
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
    const problem = problemOf(error);
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

/** As bytes: Fastify adds a charset to text, which this media type does not have. */
export function sendProblem(reply: FastifyReply, body: z.infer<typeof problemShape>): void {
  void reply
    .status(body.status)
    .header('content-type', 'application/problem+json')
    .send(Buffer.from(JSON.stringify(body)));
}

export function problemBody(problem: Problem, requestId: string): z.infer<typeof problemShape> {
  const words = problem.code.replaceAll('_', ' ');
  return {
    type: `urn:tributary:problem:${problem.code}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    status: problemStatus[problem.code],
    code: problem.code,
    detail: problem.message,
    faults: problem.faults.map(({ path, message }) => ({ path, message })),
    requestId,
  };
}
