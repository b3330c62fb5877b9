import { authorizeUrlOf } from '../authorize-url.js';
import { type OAuth, ProviderUnreachable } from '../provider.js';
import { askProfile, isRevokedBy, tokenEndpoint } from '../token-endpoint.js';

/** Without `offline` there is no refresh token, and the connection would end with its first hour; `read:profile` names the person. */
const scopes = ['offline', 'read:profile', 'read:cycles', 'read:sleep', 'read:recovery', 'read:workout', 'read:body_measurement'] as const;

/** Seen, not promised. */
const ASSUMED_LIFE_S = 3_600;

const askForToken = tokenEndpoint({
  path: '/oauth/oauth2/token',
  assumed: { lifeS: ASSUMED_LIFE_S, scopes },
  // Of a refresh token that was used before, WHOOP's server can also say that it is inactive.
  isWorthless: ({ error }) => error === 'invalid_grant' || error === 'token_inactive',
});

export const whoopOAuth: OAuth = {
  scopes,

  // WHOOP refuses a state of fewer than eight characters.
  authorizeUrl: authorizeUrlOf({ path: '/oauth/oauth2/auth' }),

  exchange(http, { code, redirectUri, ...input }) {
    return askForToken(http, input, { grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  },

  /** The old refresh token is dead once the answer has left WHOOP. */
  refresh(http, { refreshToken, ...input }) {
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, scope: 'offline' };
    return askForToken(http, input, form);
  },

  revoke(http, { origins, accessToken }) {
    const headers = { authorization: `Bearer ${accessToken}` };
    return isRevokedBy(http, { method: 'DELETE', url: `${origins.api}/developer/v2/user/access`, headers });
  },

  async subject(http, { origins, accessToken }) {
    const profile = await askProfile(http, `${origins.api}/developer/v2/user/profile/basic`, accessToken);
    const id = profile?.['user_id'];
    if (!Number.isSafeInteger(id)) throw new ProviderUnreachable('profile_without_user_id');
    return String(id);
  },
};
