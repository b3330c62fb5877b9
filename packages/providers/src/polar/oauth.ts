import { authorizeUrlOf } from '../authorize-url.js';
import { type GrantOutcome, type OAuth, type ProviderHttp, ProviderUnreachable } from '../provider.js';
import { type TokenRequest, askForGrant } from '../token-endpoint.js';
import { basicAuth } from './basic-auth.js';
import { POLAR_SCOPE } from './collections.js';

/** Tokens were never seen to end sooner than after years; a year stands in for a missing `expires_in`. */
const ASSUMED_LIFE_S = 365 * 86_400;

export const polarOAuth: OAuth = {
  scopes: [POLAR_SCOPE],

  /** No PKCE is offered. */
  authorizeUrl: authorizeUrlOf({ path: '/oauth2/authorization' }),

  /** Nothing is kept for a person until the app has registered them, so that belongs to the exchange. */
  async exchange(http, { origins, client, code, redirectUri, now }) {
    const outcome = await askForGrant(http, {
      ...tokenRequest({ origins, client, now }),
      form: { grant_type: 'authorization_code', code, redirect_uri: redirectUri },
    });
    if (outcome.is !== 'granted') return outcome;
    if (outcome.grant.subjectId === undefined) return { is: 'transient', code: 'token_reply_without_user' };
    return register(http, `${origins.api}/v3/users`, outcome);
  },

  /** Grants have come without a refresh token so far; where there is one, it is used as everywhere. */
  refresh(http, { origins, client, refreshToken, now }) {
    return askForGrant(http, {
      ...tokenRequest({ origins, client, now }),
      form: { grant_type: 'refresh_token', refresh_token: refreshToken },
    });
  },

  /** Takes the person out of the app, which ends the token. */
  async revoke(http, { origins, accessToken, subjectId }) {
    try {
      const url = `${origins.api}/v3/users/${encodeURIComponent(subjectId)}`;
      const { status } = await http.send({ method: 'DELETE', url, headers: { authorization: `Bearer ${accessToken}` } });
      // 401, 403 and 404: the token or the person is not honoured any more, which is all that was wanted.
      return (status >= 200 && status < 300) || status === 401 || status === 403 || status === 404;
    } catch (error) {
      if (error instanceof ProviderUnreachable) return false;
      throw error;
    }
  },

  /** No read without the id names the person. Physical information is the smallest, and 204 where there is none. */
  async subject(http, { origins, accessToken }) {
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
    const { status } = await http.send({ method: 'GET', url: `${origins.api}/v3/users/physical-info`, headers });
    if (status !== 200 && status !== 204 && status !== 404) throw new ProviderUnreachable(`http_${status}`);
    return undefined;
  },
};

function tokenRequest({
  origins,
  client,
  now,
}: Pick<Parameters<OAuth['refresh']>[1], 'origins' | 'client' | 'now'>): Omit<TokenRequest, 'form'> {
  return {
    url: `${origins.token}/v2/oauth2/token`,
    headers: { authorization: basicAuth(client) },
    assumed: { lifeS: ASSUMED_LIFE_S, scopes: [POLAR_SCOPE] },
    now,
    subjectOf: ({ x_user_id: id }) => (Number.isSafeInteger(id) || (typeof id === 'string' && id !== '') ? String(id) : undefined),
  };
}

/** `member-id` is a name of ours for the person; theirs at Polar says nothing more about them than Polar knows already. */
async function register(http: ProviderHttp, url: string, granted: Extract<GrantOutcome, { is: 'granted' }>): Promise<GrantOutcome> {
  const { accessToken, subjectId } = granted.grant;
  try {
    const reply = await http.send({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ 'member-id': `tributary-${subjectId}` }),
    });
    // 409: registered before.
    if (reply.status === 200 || reply.status === 201 || reply.status === 409) return granted;
    return { is: 'transient', code: `register_http_${reply.status}` };
  } catch (error) {
    if (error instanceof ProviderUnreachable) return { is: 'transient', code: error.code };
    throw error;
  }
}
