import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** An answer other than success. */
export class GoogleRefusal extends Error {
  override readonly name = 'GoogleRefusal';
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {
    super(`answered ${status}`);
  }
}

/** `{"error": {code, message, status}}`, the form of all but the OAuth answers. No header says for how long. */
export const refused = (code: number, status: string, message: string): GoogleRefusal =>
  new GoogleRefusal(code, { error: { code, message, status } });

export async function answerRefusal(error: FastifyError | Error, _request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (error instanceof GoogleRefusal) {
    await reply.code(error.status).send(error.body);
    return;
  }
  const code = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (code >= 500) reply.log.error(error);
  await reply.code(code).send({ error: { code, message: code >= 500 ? 'Internal error.' : error.message, status: 'UNKNOWN' } });
}
