import { createHmac } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type OAuthManners, oauthServer } from '../oauth-server.js';
import type { App } from '../world.js';
import { WithingsRefusal, formOf, statusOf } from './withings-refusal.js';
import type { WithingsWorld } from './withings-world.js';

export const withingsScopes = ['user.info', 'user.metrics', 'user.activity', 'user.sleepevents'] as const;

const TOKEN_PATH = '/v2/oauth2';
/** How far the clock of a signed call may be off. */
const CLOCK_S = 300;

const manners: OAuthManners = {
  provider: 'Withings',
  authorizePath: '/oauth2_user/authorize2',
  tokenPath: TOKEN_PATH,
  scopes: withingsScopes,
  scopeSeparator: ',',
  refused: (fault, description) => {
    const words = {
      invalid_code: 'invalid code',
      invalid_refresh: 'invalid refresh_token',
      invalid_client: 'invalid client_id or client_secret',
    };
    return new WithingsRefusal(statusOf.params, `Invalid Params: ${fault in words ? words[fault as keyof typeof words] : description}`);
  },
  tokenReply: ({ accessToken, refreshToken, expiresInS, grant }) => ({
    status: 0,
    body: {
      userid: Number(grant.subjectId),
      access_token: accessToken,
      refresh_token: refreshToken,
      scope: grant.scopes.join(','),
      expires_in: expiresInS,
      token_type: 'Bearer',
    },
  }),
};

/** `/oauth2_user/authorize2`, `/v2/oauth2` with `requesttoken` and `revoke`, and `/v2/signature`. */
export function oauthRoutes(scope: FastifyInstance, world: WithingsWorld): void {
  // One path for all actions: those that are no OAuth are answered before its own server sees them.
  scope.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'POST' || request.routeOptions.url?.endsWith(TOKEN_PATH) !== true) return;
    const form = formOf(request.body);
    const action = form.get('action');
    if (action === 'requesttoken') return;
    if (action !== 'revoke') throw new WithingsRefusal(statusOf.action, 'Wrong action');
    revoke(world, form);
    await reply.send({ status: 0, body: {} });
  });

  oauthServer(scope, world, manners);

  scope.post('/v2/signature', async (request) => {
    const form = formOf(request.body);
    if (form.get('action') !== 'getnonce') throw new WithingsRefusal(statusOf.action, 'Wrong action');
    const timestamp = form.get('timestamp') ?? '';
    signedBy(world, form, timestamp);
    if (!(Math.abs(Number(timestamp) - world.now() / 1000) <= CLOCK_S))
      throw new WithingsRefusal(statusOf.params, 'Invalid Params: timestamp');
    return { status: 0, body: { nonce: world.newNonce() } };
  });
}

function revoke(world: WithingsWorld, form: URLSearchParams): void {
  const nonce = form.get('nonce') ?? '';
  const { clientId } = signedBy(world, form, nonce);
  if (!world.useNonce(nonce)) throw new WithingsRefusal(statusOf.params, 'Invalid Params: nonce');
  const subjectId = form.get('userid') ?? '';
  if (!world.people.has(subjectId)) throw new WithingsRefusal(247, 'The userid is either absent or incorrect');
  world.ledger.note('revokes', subjectId);
  world.grants.withdraw(subjectId, clientId);
  world.unsubscribe((one) => one.clientId === clientId && one.subjectId === subjectId);
}

/** The app whose secret signed `action`, `client_id` and the last value. */
function signedBy(world: WithingsWorld, form: URLSearchParams, last: string): App {
  const app = world.apps.get(form.get('client_id') ?? '');
  const right = app?.secrets.some(
    (secret) =>
      form.get('signature') ===
      createHmac('sha256', secret)
        .update(`${form.get('action')},${app.clientId},${last}`)
        .digest('hex'),
  );
  if (app === undefined || right !== true) throw new WithingsRefusal(statusOf.params, 'Invalid Params: invalid signature');
  return app;
}
