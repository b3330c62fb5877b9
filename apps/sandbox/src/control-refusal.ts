import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** The control API was asked for something that cannot be. */
export class ControlRefusal extends Error {
  override readonly name = 'ControlRefusal';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** `{error, message, faults?}`; a fault names the field and what is wrong with it. */
export async function answerControlRefusal(error: FastifyError | Error, _request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (error instanceof z.ZodError) {
    const faults = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    await reply
      .code(422)
      .send({ error: 'validation_failed', message: faults.map((f) => `${f.path || 'body'}: ${f.message}`).join('; '), faults });
  } else if (error instanceof ControlRefusal) {
    await reply.code(error.status).send({ error: error.code, message: error.message });
  } else {
    const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
    await reply.code(status).send({ error: status >= 500 ? 'internal' : 'malformed_request', message: error.message });
  }
}
