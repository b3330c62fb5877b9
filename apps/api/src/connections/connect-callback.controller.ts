import { Controller, Get, Header, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Problem } from '@tributary/domain';
import { PublicRoute } from '@tributary/service-shell';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { problemBody, sendProblem } from '../answers/problem.filter.js';
import { problemOf } from '../answers/problem-of.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { IssueTickets } from '../issue-tickets.js';
import { consentPage } from './consent-page.js';
import { finishConsent } from './finish-consent.js';

/** Where providers send people back to. Public: what opens it is the state, which only the person who began the consent has. */
@ApiExcludeController()
@PublicRoute()
@Controller('connect')
export class ConnectCallbackController {
  constructor(
    @Inject(API_CONTEXT) private readonly context: ApiContext,
    private readonly tickets: IssueTickets,
  ) {}

  @Get('callback')
  @Header('cache-control', 'no-store')
  @Header('referrer-policy', 'no-referrer')
  async finish(@Query() query: Record<string, unknown>, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const one = (name: string) => (typeof query[name] === 'string' && query[name] !== '' ? query[name] : undefined);
    let finished;
    try {
      finished = await finishConsent(
        this.context,
        this.tickets,
        { state: one('state'), code: one('code'), error: one('error'), scope: one('scope') },
        request.id,
      );
    } catch (error) {
      // Without a session there is nowhere to send the person, so they read it here.
      const problem = problemOf(error);
      if (problem.code === 'internal') throw error;
      return tellProblem(problem, request, reply);
    }
    const { session, end } = finished;
    if (session.returnUrl !== null) {
      const url = new URL(session.returnUrl);
      url.searchParams.set('connectSessionId', session.id);
      url.searchParams.set('status', end.is);
      if (end.is === 'connected') url.searchParams.set('connectionId', end.connectionId);
      if (end.is === 'failed') url.searchParams.set('code', end.problem.code);
      await reply.redirect(url.href, 303);
      return;
    }
    if (end.is === 'failed') return tellProblem(end.problem, request, reply);
    await reply
      .status(200)
      .type('text/html; charset=utf-8')
      .send(
        end.is === 'connected'
          ? consentPage('Connected', 'Your data will arrive from now on. You can close this page.')
          : consentPage('Not connected', 'You did not agree, so nothing was connected. You can close this page.'),
      );
  }
}

/** Browsers get a page, programs the problem. */
async function tellProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const body = problemBody(problem, request.id);
  if (request.headers.accept?.includes('text/html'))
    await reply.status(body.status).type('text/html; charset=utf-8').send(consentPage('Not connected', body.detail));
  else sendProblem(reply, body);
}
