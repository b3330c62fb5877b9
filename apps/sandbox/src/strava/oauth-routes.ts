import type { FastifyInstance } from 'fastify';
import { type OAuthFault, type OAuthManners, basicCredentials, oauthServer } from '../oauth-server.js';
import { refused } from './strava-refusal.js';
import type { StravaWorld } from './strava-world.js';

export const stravaScopes = ['read', 'read_all', 'profile:read_all', 'activity:read', 'activity:read_all'] as const;

const faults: Readonly<Partial<Record<OAuthFault, readonly [string, string, string]>>> = {
  invalid_code: ['AuthorizationCode', 'code', 'invalid'],
  invalid_refresh: ['RefreshToken', 'refresh_token', 'invalid'],
  invalid_client: ['Application', 'client_id', 'invalid'],
};

/** `/oauth/authorize`, `/oauth/token`, `/oauth/revoke`. What was granted is only said in the address that the person goes back to. */
export function oauthRoutes(scope: FastifyInstance, world: StravaWorld): void {
  const manners: OAuthManners = {
    provider: 'Strava',
    authorizePath: '/oauth/authorize',
    tokenPath: '/oauth/token',
    scopes: stravaScopes,
    scopeSeparator: ',',
    refused: (fault, description) =>
      refused(fault === 'invalid_client' ? 401 : 400, description, faults[fault] ?? ['Application', 'request', 'invalid']),
    tokenReply: ({ accessToken, refreshToken, expiresInS, grant }, by) => ({
      token_type: 'Bearer',
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_in: expiresInS,
      expires_at: Math.floor(world.now() / 1000) + expiresInS,
      ...(by === 'code' ? { athlete: { id: Number(grant.subjectId), resource_state: 2 } } : {}),
    }),
  };
  oauthServer(scope, world, manners);

  scope.post('/oauth/revoke', async (request) => {
    const [id, secret] = basicCredentials(request.headers.authorization ?? '');
    const app = world.appOf(id, secret);
    if (app === undefined) throw refused(401, 'Authorization Error', ['Application', 'client_id', 'invalid']);
    const token = request.body instanceof URLSearchParams ? request.body.get('token') : null;
    if (!token) throw refused(400, 'Bad Request', ['Application', 'token', 'missing']);
    // RFC 7009 §2.2: a token that is not known is as revoked as one can be.
    world.ledger.note('revokes', world.grants.revoke(token)?.subjectId);
    return {};
  });
}
