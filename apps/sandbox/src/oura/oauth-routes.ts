import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ConsentRequest, consentPage, refusalPage } from '../consent-page.js';
import type { Tokens } from '../grant-book.js';
import { oauthRefused } from './oura-refusal.js';
import type { OuraApp, OuraWorld } from './oura-world.js';
import { ouraScopes } from './scopes.js';

const page = { provider: 'Oura', action: 'authorize', scopeSeparator: ' ' } as const;

/** `/oauth/authorize`, `/oauth/token`, `/oauth/revoke`. */
export function oauthRoutes(scope: FastifyInstance, world: OuraWorld): void {
  scope.get('/oauth/authorize', async (request, reply) => {
    const query = new URL(request.url, 'http://sandbox').searchParams;
    const asked = checkedRequest(world, query, reply);
    if (asked === undefined) return reply;
    const person = query.get('person');
    if (person === null) return reply.type('text/html; charset=utf-8').send(consentPage(asked, [...world.people.values()], page));
    const granted = query.get('granted')?.split(' ') ?? asked.scopes;
    return allow(world, asked, { person, granted }, reply);
  });

  scope.post('/oauth/authorize', async (request, reply) => {
    const form = formOf(request.body);
    const asked = checkedRequest(world, form, reply);
    if (asked === undefined) return reply;
    if (form.get('decision') !== 'allow') return sendBack(reply, asked, { error: 'access_denied' });
    return allow(world, asked, { person: form.get('person') ?? '', granted: form.getAll('granted') }, reply);
  });

  scope.post('/oauth/token', async (request, reply) => {
    const form = formOf(request.body);
    const app = authenticatedApp(world, form, request.headers.authorization);
    const tokens = grantTokens(world, app, form);
    if (tokens === 'invalid_grant') {
      world.ledger.note('tokensRefused');
      throw oauthRefused(400, 'invalid_grant', "The code or refresh token is unknown, used, expired, or another app's.");
    }
    world.ledger.note(form.get('grant_type') === 'refresh_token' ? 'tokenRefreshes' : 'tokenExchanges', tokens.grant.subjectId);
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
    return {
      token_type: 'bearer',
      access_token: tokens.accessToken,
      expires_in: tokens.expiresInS,
      refresh_token: tokens.refreshToken,
      scope: tokens.grant.scopes.join(' '),
    };
  });

  scope.post('/oauth/revoke', async (request) => {
    const token = new URL(request.url, 'http://sandbox').searchParams.get('access_token');
    if (!token) throw oauthRefused(400, 'invalid_request', 'access_token is missing from the query.');
    const grant = world.grants.revoke(token);
    world.ledger.note('revokes', grant?.subjectId);
    // RFC 7009 §2.2: a token that is not known is as revoked as one can be.
    return {};
  });
}

/** A request that may go on; otherwise the refusal is already on its way and the answer is undefined. */
function checkedRequest(world: OuraWorld, given: URLSearchParams, reply: FastifyReply): ConsentRequest | undefined {
  const clientId = given.get('client_id') ?? '';
  const redirectUri = given.get('redirect_uri') ?? '';
  const app = world.apps.get(clientId);
  const fault =
    app === undefined
      ? 'There is no app with this client_id.'
      : !app.redirectUris.has(redirectUri)
        ? 'redirect_uri is not one of those registered for this app, to the letter.'
        : undefined;
  if (fault !== undefined) {
    void reply.code(400).type('text/html; charset=utf-8').send(refusalPage(page.provider, fault));
    return undefined;
  }
  const scopes = given.get('scope')?.split(' ').filter(Boolean) ?? [];
  const asked = { clientId, redirectUri, scopes: scopes.length > 0 ? scopes : ouraScopes, state: given.get('state') ?? undefined };
  if (given.get('response_type') !== 'code') return void sendBack(reply, asked, { error: 'unsupported_response_type' });
  if (scopes.some((name) => !ouraScopes.some((known) => known === name))) return void sendBack(reply, asked, { error: 'invalid_scope' });
  return asked;
}

function allow(
  world: OuraWorld,
  asked: ConsentRequest,
  choice: { person: string; granted: readonly string[] },
  reply: FastifyReply,
): FastifyReply {
  if (!world.people.has(choice.person))
    return reply.code(400).type('text/html; charset=utf-8').send(refusalPage(page.provider, 'There is no such person.'));
  const scopes = asked.scopes.filter((name) => choice.granted.includes(name));
  if (scopes.length === 0) return sendBack(reply, asked, { error: 'access_denied' });
  const code = world.grants.issueCode({ clientId: asked.clientId, subjectId: choice.person, redirectUri: asked.redirectUri, scopes });
  return sendBack(reply, asked, { code, scope: scopes.join(' ') });
}

function sendBack(reply: FastifyReply, { redirectUri, state }: ConsentRequest, answer: Readonly<Record<string, string>>): FastifyReply {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, ...(state === undefined ? {} : { state }) }))
    url.searchParams.append(name, value);
  return reply.redirect(url.href, 302);
}

function formOf(body: unknown): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  throw oauthRefused(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded.');
}

/** RFC 6749 §2.3: in the body or by Basic, never both. */
function authenticatedApp(world: OuraWorld, form: URLSearchParams, authorization: string | undefined): OuraApp {
  const inBody = form.get('client_secret') !== null;
  if (inBody && authorization !== undefined) throw oauthRefused(400, 'invalid_request', "Give the client's credentials in one place only.");
  const [id, secret] = authorization === undefined ? [form.get('client_id'), form.get('client_secret')] : basicCredentials(authorization);
  const app = world.appOf(id ?? undefined, secret ?? undefined);
  if (app === undefined) throw oauthRefused(401, 'invalid_client', 'The client is not known, or its secret is wrong.');
  return app;
}

function basicCredentials(authorization: string): [string, string] | [null, null] {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  const [id, ...rest] = encoded === undefined ? [] : Buffer.from(encoded, 'base64').toString().split(':');
  if (id === undefined || rest.length === 0) return [null, null];
  try {
    return [decodeURIComponent(id), decodeURIComponent(rest.join(':'))];
  } catch {
    return [null, null];
  }
}

function grantTokens(world: OuraWorld, app: OuraApp, form: URLSearchParams): Tokens | 'invalid_grant' {
  const need = (name: string): string => {
    const value = form.get(name);
    if (!value) throw oauthRefused(400, 'invalid_request', `${name} is missing.`);
    return value;
  };
  const { clientId, accessTokenTtlS: ttlS } = app;
  switch (need('grant_type')) {
    case 'authorization_code':
      return world.grants.exchange({ clientId, code: need('code'), redirectUri: need('redirect_uri'), ttlS });
    case 'refresh_token':
      return world.grants.refresh({ clientId, refreshToken: need('refresh_token'), ttlS });
    default:
      throw oauthRefused(400, 'unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
  }
}
