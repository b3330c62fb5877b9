import { Controller, Get, Header, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Problem } from '@tributary/domain';
import { PublicRoute } from '@tributary/service-shell';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { problemBody, sendProblem } from '../answers/problem.filter.js';
import { problemOf } from '../answers/problem-of.js';
import { API_CONTEXT, type ApiContext } from '../api-context.js';
import { hashBrowser, readBrowser } from '../connect-pages/browser-cookie.js';
import { linkPath } from '../connect-pages/connect-link.js';
import { type Page, html, sendPage } from '../connect-pages/page.js';
import { returnAddress } from '../connect-pages/return-address.js';
import { IssueTickets } from '../issue-tickets.js';
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
    const browser = readBrowser(request.headers.cookie);
    let finished;
    try {
      finished = await finishConsent(
        this.context,
        this.tickets,
        {
          state: one('state'),
          code: one('code'),
          error: one('error'),
          scope: one('scope'),
          browserHash: browser === undefined ? undefined : hashBrowser(browser),
        },
        request.id,
      );
    } catch (error) {
      // Without a session there is nowhere to send the person, so they read it here.
      const problem = problemOf(error);
      if (problem.code === 'internal') throw error;
      return tellProblem(problem, request, reply);
    }
    const { session, end } = finished;
    const id = session.linkId ?? session.id;
    if (session.hosted) {
      // Back to the list, by a fresh address of the same link: the one that the browser had stands nowhere.
      await reply.redirect(`${this.context.publicApiUrl}${linkPath(this.context.keys, { ...session, id })}`, 303);
      return;
    }
    if (session.returnUrl !== null) {
      const connectionId = end.is === 'connected' ? end.connectionId : undefined;
      const code = end.is === 'failed' ? end.problem.code : undefined;
      await reply.redirect(returnAddress(session.returnUrl, id, { is: end.is, connectionId, code }), 303);
      return;
    }
    if (end.is === 'failed') return tellProblem(end.problem, request, reply);
    await sendPage(
      reply,
      200,
      end.is === 'connected'
        ? plainPage('Connected', 'Your data will arrive from now on. You can close this page.')
        : plainPage('Not connected', 'You did not agree, so nothing was connected. You can close this page.'),
    );
  }
}

function plainPage(title: string, words: string): Page {
  return { language: 'en', title, main: html`<h1>${title}</h1><p>${words}</p>` };
}

/** Browsers get a page, programs the problem. */
async function tellProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const body = problemBody(problem, request.id);
  if (request.headers.accept?.includes('text/html')) await sendPage(reply, body.status, plainPage('Not connected', body.detail));
  else sendProblem(reply, body);
}
