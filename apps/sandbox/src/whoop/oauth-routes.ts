import type { FastifyInstance } from 'fastify';
import { type OAuthManners, oauthServer } from '../oauth-server.js';
import { Refusal } from '../refusal.js';
import { refused } from './whoop-refusal.js';
import type { WhoopWorld } from './whoop-world.js';

export const whoopScopes = [
  'offline',
  'read:profile',
  'read:cycles',
  'read:sleep',
  'read:recovery',
  'read:workout',
  'read:body_measurement',
] as const;

const manners: OAuthManners = {
  provider: 'WHOOP',
  authorizePath: '/oauth/oauth2/auth',
  tokenPath: '/oauth/oauth2/token',
  scopes: whoopScopes,
  scopeSeparator: ' ',
  refused: (fault, description) =>
    new Refusal(fault === 'invalid_client' ? 401 : 400, {
      error: fault === 'invalid_code' || fault === 'invalid_refresh' ? 'invalid_grant' : fault,
      error_description: description,
    }),
  tokenReply: ({ accessToken, refreshToken, expiresInS, grant }) => ({
    token_type: 'bearer',
    access_token: accessToken,
    expires_in: expiresInS,
    scope: grant.scopes.join(' '),
    ...(grant.scopes.includes('offline') ? { refresh_token: refreshToken } : {}),
  }),
};

/** `/oauth/oauth2/…`, and the end of all access. */
export function oauthRoutes(scope: FastifyInstance, world: WhoopWorld): void {
  oauthServer(scope, world, manners);

  scope.delete('/developer/v2/user/access', async (request, reply) => {
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (world.grants.bearer(token)?.live !== true) throw refused(401, 'Authorization was not valid');
    world.ledger.note('revokes', world.grants.revoke(token)?.subjectId);
    return reply.code(204).send();
  });
}
