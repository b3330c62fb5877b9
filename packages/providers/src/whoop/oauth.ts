import { type ClientCredentials, type OAuth, type Origins, ProviderUnreachable } from '../provider.js';
import { replyObject } from '../reply.js';
import { type TokenRequest, askForGrant, isRevokedBy } from '../token-endpoint.js';

/** Without `offline` there is no refresh token, and the connection would end with its first hour; `read:profile` names the person. */
const scopes = ['offline', 'read:profile', 'read:cycles', 'read:sleep', 'read:recovery', 'read:workout', 'read:body_measurement'] as const;

/** Seen, not promised. */
const ASSUMED_LIFE_S = 3_600;

export const whoopOAuth: OAuth = {
  scopes,

  authorizeUrl({ origins, clientId, redirectUri, state, scopes: wanted }) {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: wanted.join(' '),
      // WHOOP refuses one of fewer than eight characters.
      state,
    });
    return `${origins.authorize}/oauth/oauth2/auth?${query}`;
  },

  exchange(http, { code, redirectUri, ...input }) {
    return askForGrant(http, tokenRequest(input, { grant_type: 'authorization_code', code, redirect_uri: redirectUri }));
  },

  /** The old refresh token is dead once the answer has left WHOOP. */
  refresh(http, { refreshToken, ...input }) {
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, scope: 'offline' };
    return askForGrant(http, tokenRequest(input, form));
  },

  revoke(http, { origins, accessToken }) {
    const headers = { authorization: `Bearer ${accessToken}` };
    return isRevokedBy(http, { method: 'DELETE', url: `${origins.api}/developer/v2/user/access`, headers });
  },

  async subject(http, { origins, accessToken }) {
    const reply = await http.send({
      method: 'GET',
      url: `${origins.api}/developer/v2/user/profile/basic`,
      headers: { authorization: `Bearer ${accessToken}` },
    });
    if (reply.status !== 200) throw new ProviderUnreachable(`http_${reply.status}`);
    const id = replyObject(reply)?.['user_id'];
    if (!Number.isSafeInteger(id)) throw new ProviderUnreachable('profile_without_user_id');
    return String(id);
  },
};

function tokenRequest(
  { origins, client, now }: { origins: Origins; client: ClientCredentials; now: number },
  form: Record<string, string>,
): TokenRequest {
  return {
    url: `${origins.token}/oauth/oauth2/token`,
    form: { ...form, client_id: client.clientId, client_secret: client.clientSecret },
    assumed: { lifeS: ASSUMED_LIFE_S, scopes },
    now,
    // Of a refresh token that was used before, WHOOP's server can also say that it is inactive.
    isWorthless: ({ error }) => error === 'invalid_grant' || error === 'token_inactive',
  };
}
