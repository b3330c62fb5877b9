import { authorizeUrlOf } from '../authorize-url.js';
import { type ClientCredentials, type OAuth, type Origins, type ProviderHttp, ProviderUnreachable } from '../provider.js';
import { replyObject } from '../reply.js';
import { type TokenRequest, askForGrant, isRevokedBy } from '../token-endpoint.js';

/** Garmin's consent page asks for these itself; there is nothing to ask for in the address. */
const permissions = ['HEALTH_EXPORT', 'ACTIVITY_EXPORT'] as const;

const ASSUMED_LIFE_S = 86_400;

export const garminOAuth: OAuth = {
  scopes: permissions,
  pkce: true,

  authorizeUrl: authorizeUrlOf({ path: '/oauth2Confirm', withoutScopes: true, pkce: true }),

  async exchange(http, { code, redirectUri, codeVerifier, ...input }) {
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier ?? '' };
    const outcome = await askForGrant(http, tokenRequest(input, form));
    if (outcome.is !== 'granted') return outcome;
    // The `scope` of the answer is of another kind: what the person ticked, only this call says.
    const ticked = await readPermissions(http, { origins: input.origins, accessToken: outcome.grant.accessToken });
    return { is: 'granted', grant: { ...outcome.grant, scopes: ticked ?? permissions } };
  },

  // The refresh token is replaced each time, and lives for about 90 days.
  refresh(http, { refreshToken, ...input }) {
    return askForGrant(http, tokenRequest(input, { grant_type: 'refresh_token', refresh_token: refreshToken }));
  },

  // Garmin then also tells us of a deregistration, which finds nobody.
  revoke(http, { origins, accessToken }) {
    return isRevokedBy(http, { method: 'DELETE', url: `${origins.api}/wellness-api/rest/user/registration`, headers: bearer(accessToken) });
  },

  async subject(http, { origins, accessToken }) {
    const reply = await http.send({ method: 'GET', url: `${origins.api}/wellness-api/rest/user/id`, headers: bearer(accessToken) });
    if (reply.status !== 200) throw new ProviderUnreachable(`http_${reply.status}`);
    const id = replyObject(reply)?.['userId'];
    if (typeof id !== 'string' || id === '') throw new ProviderUnreachable('user_without_id');
    return id;
  },

  permissions: readPermissions,
};

/** Seen both as a list and as an object that holds one. Undefined when it cannot be had: then a read will tell what is missing. */
async function readPermissions(
  http: ProviderHttp,
  { origins, accessToken }: { origins: Origins; accessToken: string },
): Promise<readonly string[] | undefined> {
  try {
    const url = `${origins.api}/wellness-api/rest/user/permissions`;
    const reply = await http.send({ method: 'GET', url, headers: bearer(accessToken) });
    if (reply.status !== 200) return undefined;
    const answer: unknown = JSON.parse(reply.body.toString('utf8'));
    const list = Array.isArray(answer) ? answer : (answer as { permissions?: unknown } | null)?.permissions;
    return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : undefined;
  } catch (error) {
    if (error instanceof ProviderUnreachable || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function bearer(accessToken: string): Record<string, string> {
  return { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
}

function tokenRequest(
  { origins, client, now }: { origins: Origins; client: ClientCredentials; now: number },
  form: Record<string, string>,
): TokenRequest {
  return {
    url: `${origins.token}/di-oauth2-service/oauth/token`,
    form: { ...form, client_id: client.clientId, client_secret: client.clientSecret },
    assumed: { lifeS: ASSUMED_LIFE_S, scopes: permissions },
    now,
  };
}
