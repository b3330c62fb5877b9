import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** An answer other than success. WHOOP documents the statuses and no bodies but those of OAuth. */
export class WhoopRefusal extends Error {
  override readonly name = 'WhoopRefusal';
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`answered ${status}`);
  }
}

export const refused = (status: number, message: string, headers?: Readonly<Record<string, string>>): WhoopRefusal =>
  new WhoopRefusal(status, { message }, headers);

export async function answerRefusal(error: FastifyError | Error, _request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (error instanceof WhoopRefusal) {
    await reply.code(error.status).headers(error.headers).send(error.body);
    return;
  }
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status >= 500) reply.log.error(error);
  await reply.code(status).send({ message: status >= 500 ? 'Internal error' : error.message });
}
