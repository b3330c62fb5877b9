import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type OAuthManners, oauthServer } from '../oauth-server.js';
import { admitted } from '../reads.js';
import { oauthRefused, refused } from './polar-refusal.js';
import type { PolarWorld } from './polar-world.js';
import { readManners } from './read-routes.js';

export const polarScopes = ['accesslink.read_all'] as const;

const manners: OAuthManners = {
  provider: 'Polar',
  authorizePath: '/oauth2/authorization',
  tokenPath: '/v2/oauth2/token',
  scopes: polarScopes,
  scopeSeparator: ' ',
  refused: (fault, description) =>
    oauthRefused(
      fault === 'invalid_client' ? 401 : 400,
      fault === 'invalid_code' || fault === 'invalid_refresh' ? 'invalid_grant' : fault,
      description,
    ),
  // Without a refresh token: the access token lives for years.
  tokenReply: ({ accessToken, expiresInS, grant }) => ({
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: expiresInS,
    x_user_id: Number(grant.subjectId),
  }),
};

const registerShape = z.looseObject({ 'member-id': z.string().min(1) });

/** `/oauth2/authorization`, `/v2/oauth2/token`, and `/v3/users`, where people are taken into an app and out of it. */
export function oauthRoutes(scope: FastifyInstance, world: PolarWorld): void {
  oauthServer(scope, world, manners);
  const read = { kind: 'personalInfoReads', collection: undefined, scopes: [] } as const;

  scope.post('/v3/users', async (request) => {
    const { grant, person } = admitted(world, request, read, readManners);
    if (!registerShape.safeParse(request.body).success) throw refused(400, 'Bad Request');
    if (world.isRegistered(grant.clientId, grant.subjectId)) throw refused(409, 'Conflict');
    world.register(grant.clientId, grant.subjectId);
    return { 'polar-user-id': Number(person.subjectId), 'member-id': (request.body as z.infer<typeof registerShape>)['member-id'] };
  });

  scope.delete<{ Params: { userId: string } }>('/v3/users/:userId', async (request, reply) => {
    const { grant } = admitted(world, request, read, readManners);
    if (grant.subjectId !== request.params.userId) throw refused(403, 'Forbidden');
    world.ledger.note('revokes', grant.subjectId);
    world.unregister(grant.clientId, grant.subjectId);
    return reply.code(204).send();
  });
}
