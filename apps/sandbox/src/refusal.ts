import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** An answer other than success, in the provider's words. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`answered ${status}`);
  }
}

/** @param bodyOf the provider's form of what went wrong without a refusal being thrown. */
export function refusalAnswerer(bodyOf: (status: number, message: string) => object) {
  return async (error: FastifyError | Error, _request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (error instanceof Refusal) {
      await reply.code(error.status).headers(error.headers).send(error.body);
      return;
    }
    const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
    if (status >= 500) reply.log.error(error);
    await reply.code(status).send(bodyOf(status, status >= 500 ? 'Internal error' : error.message));
  };
}
