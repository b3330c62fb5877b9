import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** An answer other than success. */
export class GarminRefusal extends Error {
  override readonly name = 'GarminRefusal';
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`answered ${status}`);
  }
}

/** `{"errorMessage": …}`, the form of all but the OAuth answers. */
export const refused = (status: number, errorMessage: string, headers?: Readonly<Record<string, string>>): GarminRefusal =>
  new GarminRefusal(status, { errorMessage }, headers);

export async function answerRefusal(error: FastifyError | Error, _request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (error instanceof GarminRefusal) {
    await reply.code(error.status).headers(error.headers).send(error.body);
    return;
  }
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status >= 500) reply.log.error(error);
  await reply.code(status).send({ errorMessage: status >= 500 ? 'Internal error' : error.message });
}
