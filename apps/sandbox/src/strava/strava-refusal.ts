import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** An answer other than success, in the form that Strava gives to all of them. */
export class StravaRefusal extends Error {
  override readonly name = 'StravaRefusal';
  constructor(
    readonly status: number,
    readonly body: object,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`answered ${status}`);
  }
}

/** @param fault resource, field and code. */
export function refused(
  status: number,
  message: string,
  [resource, field, code]: readonly [string, string, string],
  headers?: Readonly<Record<string, string>>,
): StravaRefusal {
  return new StravaRefusal(status, { message, errors: [{ resource, field, code }] }, headers);
}

export const notFound = (resource: string): StravaRefusal => refused(404, 'Record Not Found', [resource, 'id', 'not found']);

export async function answerRefusal(error: FastifyError | Error, _request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (error instanceof StravaRefusal) {
    await reply.code(error.status).headers(error.headers).send(error.body);
    return;
  }
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status >= 500) reply.log.error(error);
  await reply.code(status).send({ message: status >= 500 ? 'Internal error' : error.message, errors: [] });
}
