import { authorizeUrlOf } from '../authorize-url.js';
import { type OAuth, ProviderUnreachable } from '../provider.js';
import { askProfile, isRevokedBy, tokenEndpoint } from '../token-endpoint.js';

/** `personal` names the person behind a token, and has their weight and height; the others are what the collections need. */
const scopes = ['personal', 'daily', 'heartrate', 'workout', 'spo2Daily'] as const;

/** Oura's documents say 24 hours in one place and 30 days in another: the shorter one stands in for a missing `expires_in`. */
const ASSUMED_LIFE_S = 86_400;

const askForToken = tokenEndpoint({
  path: '/oauth/token',
  assumed: { lifeS: ASSUMED_LIFE_S, scopes },
  // Seen of refresh tokens that were used before, beside `invalid_grant` (watt-mind/coach, pull request 385). Fault with the app's own
  // credentials is `invalid_client`.
  isWorthless: ({ error }) => error === 'invalid_grant' || error === 'invalid_request',
});

export const ouraOAuth: OAuth = {
  scopes,

  authorizeUrl: authorizeUrlOf({ path: '/oauth/authorize' }),

  exchange(http, { code, redirectUri, ...input }) {
    return askForToken(http, input, { grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  },

  refresh(http, { refreshToken, ...input }) {
    return askForToken(http, input, { grant_type: 'refresh_token', refresh_token: refreshToken });
  },

  revoke(http, { origins, accessToken }) {
    const query = new URLSearchParams({ access_token: accessToken });
    return isRevokedBy(http, { method: 'POST', url: `${origins.token}/oauth/revoke?${query}` });
  },

  async subject(http, { origins, accessToken }) {
    const profile = await askProfile(http, `${origins.api}/v2/usercollection/personal_info`, accessToken);
    const id = profile?.['id'];
    if (typeof id !== 'string' || id === '') throw new ProviderUnreachable('personal_info_without_id');
    return id;
  },
};
