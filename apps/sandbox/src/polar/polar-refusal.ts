import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** An answer other than success, as AccessLink's framework writes it. */
export class PolarRefusal extends Error {
  override readonly name = 'PolarRefusal';
  constructor(
    readonly status: number,
    readonly reason: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(reason);
  }
}

/** Of the token endpoint. */
export class PolarOAuthRefusal extends Error {
  override readonly name = 'PolarOAuthRefusal';
  constructor(
    readonly status: number,
    readonly error: string,
    readonly description: string,
  ) {
    super(description);
  }
}

export async function answerRefusal(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (error instanceof PolarOAuthRefusal) {
    await reply.code(error.status).send({ error: error.error, error_description: error.description });
    return;
  }
  if (error instanceof PolarRefusal) {
    const { status, reason, headers } = error;
    await reply
      .code(status)
      .headers(headers)
      .send({ timestamp: new Date(0).toISOString(), status, error: reason, path: request.url });
    return;
  }
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status >= 500) request.log.error(error);
  await reply.code(status).send({ status, error: status >= 500 ? 'Internal Server Error' : error.message });
}
