import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** An answer other than success, in Oura's words. */
export class OuraRefusal extends Error {
  override readonly name = 'OuraRefusal';
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`answered ${status}`);
  }
}

/** `{"detail": …}`, the form of all but the OAuth answers. */
export const refused = (status: number, detail: unknown, headers?: Readonly<Record<string, string>>): OuraRefusal =>
  new OuraRefusal(status, { detail }, headers);

export const oauthRefused = (status: number, error: string, description: string): OuraRefusal =>
  new OuraRefusal(status, { error, error_description: description });

/** A body that is not of the documented shape. @param loc where, as Oura's framework writes it. */
export const unprocessable = (faults: readonly { loc: readonly (string | number)[]; msg: string }[]): OuraRefusal =>
  new OuraRefusal(422, { detail: faults.map((fault) => ({ ...fault, type: 'value_error' })) });

export async function answerRefusal(error: FastifyError | Error, _request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (error instanceof OuraRefusal) {
    await reply.code(error.status).headers(error.headers).send(error.body);
    return;
  }
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status >= 500) reply.log.error(error);
  await reply.code(status).send({ detail: status >= 500 ? 'Internal error.' : error.message });
}
