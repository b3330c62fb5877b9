import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CallLedger } from './call-ledger.js';
import { type ConsentRequest, consentPage, refusalPage } from './consent-page.js';
import type { GrantBook, Tokens } from './grant-book.js';

interface App {
  readonly clientId: string;
  readonly secrets: readonly string[];
  readonly redirectUris: ReadonlySet<string>;
  readonly accessTokenTtlS: number;
}

interface OAuthWorld {
  readonly apps: ReadonlyMap<string, App>;
  readonly people: ReadonlyMap<string, { readonly subjectId: string; readonly name: string }>;
  readonly grants: GrantBook;
  readonly ledger: CallLedger;
}

/** What RFC 6749 §5.2 has a word for. `invalid_code` and `invalid_refresh` are both its `invalid_grant`. */
export type OAuthFault = 'invalid_request' | 'invalid_client' | 'invalid_code' | 'invalid_refresh' | 'unsupported_grant_type';

/** How one provider's OAuth differs from the next one's. */
export interface OAuthManners {
  readonly provider: string;
  readonly authorizePath: string;
  readonly tokenPath: string;
  readonly scopes: readonly string[];
  readonly scopeSeparator: ' ' | ',';
  /** Nobody consents without a challenge (S256). */
  readonly pkce?: true;
  readonly refused: (fault: OAuthFault, description: string) => Error;
  readonly tokenReply: (tokens: Tokens, by: 'code' | 'refresh') => object;
}

/** The consent page and the token endpoint. `&person=` on the former agrees at once, `&granted=` to a part of the scopes. */
export function oauthServer(scope: FastifyInstance, world: OAuthWorld, manners: OAuthManners): void {
  const server = new OAuthServer(world, manners);

  scope.get(manners.authorizePath, async (request, reply) => {
    const query = new URL(request.url, 'http://sandbox').searchParams;
    const asked = server.checkedRequest(query, reply);
    if (asked === undefined) return reply;
    const person = query.get('person');
    if (person === null) return server.page(asked, reply);
    const granted = query.get('granted')?.split(manners.scopeSeparator) ?? asked.scopes;
    return server.allow(asked, { person, granted }, reply);
  });

  scope.post(manners.authorizePath, async (request, reply) => {
    const form = server.formOf(request.body);
    const asked = server.checkedRequest(form, reply);
    if (asked === undefined) return reply;
    if (form.get('decision') !== 'allow') return sendBack(reply, asked, { error: 'access_denied' });
    return server.allow(asked, { person: form.get('person') ?? '', granted: form.getAll('granted') }, reply);
  });

  scope.post(manners.tokenPath, async (request, reply) => {
    const form = server.formOf(request.body);
    const by = form.get('grant_type') === 'refresh_token' ? 'refresh' : 'code';
    const tokens = server.grantTokens(server.appOf(form, request.headers.authorization), form);
    if (tokens === 'invalid_grant') {
      world.ledger.note('tokensRefused');
      throw manners.refused(`invalid_${by}`, "The code or refresh token is unknown, used, expired, or another app's.");
    }
    world.ledger.note(by === 'refresh' ? 'tokenRefreshes' : 'tokenExchanges', tokens.grant.subjectId);
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
    return manners.tokenReply(tokens, by);
  });
}

class OAuthServer {
  constructor(
    private readonly world: OAuthWorld,
    private readonly manners: OAuthManners,
  ) {}

  page(asked: ConsentRequest, reply: FastifyReply): FastifyReply {
    const { provider, authorizePath, scopeSeparator } = this.manners;
    const action = authorizePath.split('/').at(-1) as string;
    const people = [...this.world.people.values()];
    return reply.type('text/html; charset=utf-8').send(consentPage(asked, people, { provider, action, scopeSeparator }));
  }

  /** A request that may go on; otherwise the refusal is already on its way and the answer is undefined. */
  checkedRequest(given: URLSearchParams, reply: FastifyReply): ConsentRequest | undefined {
    const { provider, scopes: known, scopeSeparator } = this.manners;
    const clientId = given.get('client_id') ?? '';
    const redirectUri = given.get('redirect_uri') ?? '';
    const app = this.world.apps.get(clientId);
    const fault =
      app === undefined
        ? 'There is no app with this client_id.'
        : !app.redirectUris.has(redirectUri)
          ? 'redirect_uri is not one of those registered for this app, to the letter.'
          : undefined;
    if (fault !== undefined) {
      void reply.code(400).type('text/html; charset=utf-8').send(refusalPage(provider, fault));
      return undefined;
    }
    const scopes = given.get('scope')?.split(scopeSeparator).filter(Boolean) ?? [];
    const state = given.get('state') ?? undefined;
    const challenge = given.get('code_challenge') || undefined;
    const asked = { clientId, redirectUri, scopes: scopes.length > 0 ? scopes : known, state, challenge };
    if (given.get('response_type') !== 'code') return void sendBack(reply, asked, { error: 'unsupported_response_type' });
    const proves = challenge === undefined ? this.manners.pkce === undefined : given.get('code_challenge_method') === 'S256';
    if (!proves) return void sendBack(reply, asked, { error: 'invalid_request' });
    if (scopes.some((name) => !known.includes(name))) return void sendBack(reply, asked, { error: 'invalid_scope' });
    return asked;
  }

  allow(asked: ConsentRequest, choice: { person: string; granted: readonly string[] }, reply: FastifyReply): FastifyReply {
    const { provider, scopeSeparator } = this.manners;
    if (!this.world.people.has(choice.person))
      return reply.code(400).type('text/html; charset=utf-8').send(refusalPage(provider, 'There is no such person.'));
    const scopes = asked.scopes.filter((name) => choice.granted.includes(name));
    if (scopes.length === 0) return sendBack(reply, asked, { error: 'access_denied' });
    const { clientId, redirectUri, challenge } = asked;
    const code = this.world.grants.issueCode({ clientId, subjectId: choice.person, redirectUri, scopes, challenge });
    return sendBack(reply, asked, { code, scope: scopes.join(scopeSeparator) });
  }

  formOf(body: unknown): URLSearchParams {
    if (body instanceof URLSearchParams) return body;
    throw this.manners.refused('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  }

  /** RFC 6749 §2.3: in the body or by Basic, never both. */
  appOf(form: URLSearchParams, authorization: string | undefined): App {
    const { refused } = this.manners;
    const inBody = form.get('client_secret') !== null;
    if (inBody && authorization !== undefined) throw refused('invalid_request', "Give the client's credentials in one place only.");
    const [id, secret] = authorization === undefined ? [form.get('client_id'), form.get('client_secret')] : basicCredentials(authorization);
    const app = this.world.apps.get(id ?? '');
    if (app === undefined || secret === null || !app.secrets.includes(secret))
      throw refused('invalid_client', 'The client is not known, or its secret is wrong.');
    return app;
  }

  grantTokens({ clientId, accessTokenTtlS: ttlS }: App, form: URLSearchParams): Tokens | 'invalid_grant' {
    const { refused } = this.manners;
    const need = (name: string): string => {
      const value = form.get(name);
      if (!value) throw refused('invalid_request', `${name} is missing.`);
      return value;
    };
    switch (need('grant_type')) {
      case 'authorization_code':
        return this.world.grants.exchange({
          clientId,
          code: need('code'),
          redirectUri: need('redirect_uri'),
          verifier: form.get('code_verifier') ?? undefined,
          ttlS,
        });
      case 'refresh_token':
        return this.world.grants.refresh({ clientId, refreshToken: need('refresh_token'), ttlS });
      default:
        throw refused('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
    }
  }
}

function sendBack(reply: FastifyReply, { redirectUri, state }: ConsentRequest, answer: Readonly<Record<string, string>>): FastifyReply {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, ...(state === undefined ? {} : { state }) }))
    url.searchParams.append(name, value);
  return reply.redirect(url.href, 302);
}

/** Nulls when there is no such header, or it is of another kind. */
export function basicCredentials(authorization: string): [string, string] | [null, null] {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  const [id, ...rest] = encoded === undefined ? [] : Buffer.from(encoded, 'base64').toString().split(':');
  if (id === undefined || rest.length === 0) return [null, null];
  try {
    return [decodeURIComponent(id), decodeURIComponent(rest.join(':'))];
  } catch {
    return [null, null];
  }
}
