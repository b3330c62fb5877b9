import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AnsweredBefore } from './kept-answers.js';

/** Sends an answer that was kept: the same status, headers and bytes, and that it is one. */
@Catch(AnsweredBefore)
export class AnsweredBeforeFilter implements ExceptionFilter {
  catch({ status, headers, body }: AnsweredBefore, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply
      .status(status)
      .headers({ ...headers, 'idempotent-replayed': 'true' })
      .send(body.length === 0 ? undefined : body);
  }
}
