import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type OAuthManners, oauthServer } from '../oauth-server.js';
import { type ReadManners, admitted, answered } from '../reads.js';
import { GarminRefusal, refused } from './garmin-refusal.js';
import { type GarminWorld, permissionOf, permissions } from './garmin-world.js';

const oauthManners: OAuthManners = {
  provider: 'Garmin',
  authorizePath: '/oauth2Confirm',
  tokenPath: '/di-oauth2-service/oauth/token',
  scopes: permissions,
  scopeSeparator: ' ',
  pkce: true,
  refused: (fault, description) =>
    new GarminRefusal(fault === 'invalid_client' ? 401 : 400, {
      error: fault === 'invalid_code' || fault === 'invalid_refresh' ? 'invalid_grant' : fault,
      error_description: description,
    }),
  // The scope is the programme's; the permissions have an address of their own.
  tokenReply: ({ accessToken, refreshToken, expiresInS }) => ({
    access_token: accessToken,
    expires_in: expiresInS,
    token_type: 'bearer',
    refresh_token: refreshToken,
    scope: 'PARTNER_WRITE PARTNER_READ CONNECT_READ',
  }),
};

export const readManners: ReadManners = {
  unauthorised: () => refused(401, 'Unauthorized'),
  limited: ({ resetInS }) => refused(429, 'Too many requests', { 'retry-after': String(resetInS) }),
  forbidden: () => refused(412, 'The user has not given this permission'),
  faulty: (status) => refused(status, 'Ordered by the control API'),
};

const DAY_S = 86_400;
const root = '/wellness-api/rest';

/** `/oauth2Confirm`, the token endpoint, and `/wellness-api/rest/…`. @param deregistered told of whom Garmin then tells the app. */
export function garminRoutes(
  scope: FastifyInstance,
  world: GarminWorld,
  deregistered: (subjectId: string, clientId: string) => void,
): void {
  oauthServer(scope, world, oauthManners);
  const reader = (request: FastifyRequest) =>
    admitted(world, request, { kind: 'personalInfoReads', collection: undefined, scopes: [] }, readManners);

  scope.get(`${root}/user/id`, async (request, reply) => answered(world, reply, { userId: reader(request).person.subjectId }, readManners));

  scope.get(`${root}/user/permissions`, async (request, reply) => answered(world, reply, reader(request).grant.scopes, readManners));

  scope.delete(`${root}/user/registration`, async (request, reply) => {
    const { grant, person } = reader(request);
    world.ledger.note('revokes', person.subjectId);
    world.grants.withdraw(person.subjectId, grant.clientId);
    deregistered(person.subjectId, grant.clientId);
    return reply.code(204).send();
  });

  scope.get<{ Params: { type: string } }>(`${root}/:type`, async (request, reply) => {
    const { type } = request.params;
    const permission = permissionOf[type];
    if (permission === undefined) throw refused(404, 'Not found');
    const { person, grant } = admitted(world, request, { kind: 'listReads', collection: type, scopes: [permission] }, readManners);
    const query = new URL(request.url, 'http://sandbox').searchParams;
    const [fromS, toS] = ['uploadStartTimeInSeconds', 'uploadEndTimeInSeconds'].map((name) => Number(query.get(name) ?? Number.NaN));
    if (fromS === undefined || toS === undefined || !(toS > fromS) || toS - fromS > DAY_S) {
      throw refused(400, 'The upload times do not span 1 second to 24 hours');
    }
    const told = { subjectId: person.subjectId, type, atS: fromS };
    if (world.apps.get(grant.clientId)?.pullTokens && !(toS === fromS + 1 && world.honours(query.get('token'), told))) {
      throw refused(400, 'InvalidPullTokenException failure');
    }
    return answered(world, reply, world.uploadsOf(person.subjectId, type, { fromS, toS }), readManners);
  });
}
