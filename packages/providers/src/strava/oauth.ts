import { authorizeUrlOf } from '../authorize-url.js';
import { type OAuth, ProviderUnreachable } from '../provider.js';
import { askProfile, isRevokedBy, tokenEndpoint } from '../token-endpoint.js';
import { errorsOf } from './errors.js';

/** Each can be unticked by the person. `activity:read_all` adds what only they see, `profile:read_all` their weight. */
const scopes = ['read', 'activity:read', 'activity:read_all', 'profile:read_all'] as const;

const LIFE_S = 6 * 3_600;

const askForToken = tokenEndpoint({
  path: '/oauth/token',
  assumed: { lifeS: LIFE_S, scopes },
  // A wrong client secret is `Application`.
  isWorthless: (body) => errorsOf(body).some(({ resource }) => resource === 'RefreshToken' || resource === 'AuthorizationCode'),
});

export const stravaOAuth: OAuth = {
  scopes,

  authorizeUrl: authorizeUrlOf({ path: '/oauth/authorize', separator: ',', more: { approval_prompt: 'auto' } }),

  /** What was granted stands in the address that the person comes back to, and nowhere in Strava's answer. */
  async exchange(http, { code, redirectUri, grantedScope, ...input }) {
    const outcome = await askForToken(http, input, { grant_type: 'authorization_code', code, redirect_uri: redirectUri });
    if (outcome.is !== 'granted' || grantedScope === undefined) return outcome;
    return { is: 'granted', grant: { ...outcome.grant, scopes: grantedScope.split(/[ ,]+/).filter(Boolean) } };
  },

  /** The old refresh token may live on or not: the one in the answer counts. */
  refresh(http, { refreshToken, ...input }) {
    return askForToken(http, input, { grant_type: 'refresh_token', refresh_token: refreshToken });
  },

  revoke(http, { origins, client, accessToken }) {
    const credentials = [client.clientId, client.clientSecret].map(encodeURIComponent).join(':');
    return isRevokedBy(http, {
      method: 'POST',
      url: `${origins.token}/oauth/revoke`,
      headers: {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token: accessToken, token_type_hint: 'access_token' }).toString(),
    });
  },

  async subject(http, { origins, accessToken }) {
    const profile = await askProfile(http, `${origins.api}/api/v3/athlete`, accessToken);
    const id = profile?.['id'];
    if (!Number.isSafeInteger(id)) throw new ProviderUnreachable('athlete_without_id');
    return String(id);
  },
};
