import type { FastifyInstance } from 'fastify';
import { type OAuthManners, oauthServer } from '../oauth-server.js';
import { oauthRefused } from './oura-refusal.js';
import type { OuraWorld } from './oura-world.js';
import { ouraScopes } from './scopes.js';

const manners: OAuthManners = {
  provider: 'Oura',
  authorizePath: '/oauth/authorize',
  tokenPath: '/oauth/token',
  scopes: ouraScopes,
  scopeSeparator: ' ',
  refused: (fault, description) =>
    oauthRefused(
      fault === 'invalid_client' ? 401 : 400,
      fault === 'invalid_code' || fault === 'invalid_refresh' ? 'invalid_grant' : fault,
      description,
    ),
  tokenReply: ({ accessToken, refreshToken, expiresInS, grant }) => ({
    token_type: 'bearer',
    access_token: accessToken,
    expires_in: expiresInS,
    refresh_token: refreshToken,
    scope: grant.scopes.join(' '),
  }),
};

/** `/oauth/authorize`, `/oauth/token`, `/oauth/revoke`. */
export function oauthRoutes(scope: FastifyInstance, world: OuraWorld): void {
  oauthServer(scope, world, manners);

  scope.post('/oauth/revoke', async (request) => {
    const token = new URL(request.url, 'http://sandbox').searchParams.get('access_token');
    if (!token) throw oauthRefused(400, 'invalid_request', 'access_token is missing from the query.');
    const grant = world.grants.revoke(token);
    world.ledger.note('revokes', grant?.subjectId);
    // RFC 7009 §2.2: a token that is not known is as revoked as one can be.
    return {};
  });
}
