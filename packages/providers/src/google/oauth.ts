import { authorizeUrlOf } from '../authorize-url.js';
import { type OAuth, ProviderUnreachable } from '../provider.js';
import { askProfile, isRevokedBy, tokenEndpoint } from '../token-endpoint.js';
import { googleScopes } from './collections.js';

/** Google's answers always say it; an hour is what they say. */
const ASSUMED_LIFE_S = 3_600;

const askForToken = tokenEndpoint({
  path: '/token',
  assumed: { lifeS: ASSUMED_LIFE_S, scopes: googleScopes },
});

export const googleOAuth: OAuth = {
  scopes: googleScopes,

  authorizeUrl: authorizeUrlOf({
    path: '/o/oauth2/v2/auth',
    // Without both, a second consent of the same person brings no refresh token.
    more: { access_type: 'offline', prompt: 'consent' },
  }),

  exchange(http, { code, redirectUri, ...input }) {
    return askForToken(http, input, { grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  },

  // The answer has no refresh token: it does not rotate.
  refresh(http, { refreshToken, ...input }) {
    return askForToken(http, input, { grant_type: 'refresh_token', refresh_token: refreshToken });
  },

  revoke(http, { origins, accessToken }) {
    return isRevokedBy(http, {
      method: 'POST',
      url: `${origins.token}/revoke`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: accessToken }).toString(),
    });
  },

  async subject(http, { origins, accessToken }) {
    const profile = await askProfile(http, `${origins.api}/v4/users/me/identity`, accessToken);
    // Not `legacyUserId`, which is the person's old Fitbit id.
    const id = profile?.['healthUserId'];
    if (typeof id !== 'string' || id === '') throw new ProviderUnreachable('identity_without_id');
    return id;
  },
};
