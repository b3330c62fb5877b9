import type { FastifyInstance } from 'fastify';
import { type OAuthManners, oauthServer } from '../oauth-server.js';
import { googleScopes } from './documents.js';
import { GoogleRefusal } from './google-refusal.js';
import type { GoogleWorld } from './google-world.js';

const refused = (status: number, error: string, description: string): GoogleRefusal =>
  new GoogleRefusal(status, { error, error_description: description });

const manners: OAuthManners = {
  provider: 'Google',
  authorizePath: '/o/oauth2/v2/auth',
  tokenPath: '/token',
  scopes: googleScopes,
  scopeSeparator: ' ',
  refused: (fault, description) =>
    refused(
      fault === 'invalid_client' ? 401 : 400,
      fault === 'invalid_code' || fault === 'invalid_refresh' ? 'invalid_grant' : fault,
      description,
    ),
  // A refresh token comes with a code, and never again.
  tokenReply: ({ accessToken, refreshToken, expiresInS, grant }, by) => ({
    access_token: accessToken,
    expires_in: expiresInS,
    scope: grant.scopes.join(' '),
    token_type: 'Bearer',
    ...(by === 'code' && { refresh_token: refreshToken }),
  }),
};

/** `/o/oauth2/v2/auth`, `/token`, `/revoke`. */
export function oauthRoutes(scope: FastifyInstance, world: GoogleWorld): void {
  oauthServer(scope, world, manners);

  scope.post('/revoke', async (request) => {
    const token = request.body instanceof URLSearchParams ? request.body.get('token') : null;
    const grant = token === null ? undefined : world.grants.revoke(token);
    if (grant === undefined) throw refused(400, 'invalid_token', 'Token is not known.');
    world.ledger.note('revokes', grant.subjectId);
    return {};
  });
}
