import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** An answer other than success. Withings says so in the body, under HTTP 200; only its front door uses HTTP for it. */
export class WithingsRefusal extends Error {
  override readonly name = 'WithingsRefusal';
  constructor(
    readonly status: number,
    readonly reason: string,
    readonly httpStatus = 200,
  ) {
    super(reason);
  }
}

export async function answerRefusal(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!(error instanceof WithingsRefusal)) {
    request.log.error(error);
    await reply.code(500).type('text/html').send('<html>Internal Server Error</html>');
  } else if (error.httpStatus === 200) {
    await reply.code(200).send({ status: error.status, body: {}, error: error.reason });
  } else {
    await reply.code(error.httpStatus).type('text/html').send('<html>Ordered by the control API.</html>');
  }
}

/** The fields of a call; every call is a form. */
export function formOf(body: unknown): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  throw new WithingsRefusal(503, 'Invalid Params: the body is no form');
}

/** Numbers of the status table. */
export const statusOf = { token: 401, scope: 403, callback: 293, noSubscription: 294, params: 503, action: 2554, tooMany: 601 } as const;
