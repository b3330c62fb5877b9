import {
  type ClientCredentials,
  type Grant,
  type GrantOutcome,
  type OAuth,
  type Origins,
  type ProviderHttp,
  type ProviderReply,
  ProviderUnreachable,
} from '../provider.js';

/** `personal` is what names the person behind a token; `daily` covers both collections. */
const scopes = ['personal', 'daily'] as const;

/** Oura's documents say 24 hours in one place and 30 days in another: the shorter one stands in for a missing `expires_in`. */
const ASSUMED_LIFE_S = 86_400;

export const ouraOAuth: OAuth = {
  scopes,

  authorizeUrl({ origins, clientId, redirectUri, state, scopes: wanted }) {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: wanted.join(' '),
      state,
    });
    return `${origins.authorize}/oauth/authorize?${query}`;
  },

  exchange(http, { origins, client, code, redirectUri, now }) {
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    return askForGrant(http, { origins, client, form, now });
  },

  refresh(http, { origins, client, refreshToken, now }) {
    return askForGrant(http, { origins, client, form: { grant_type: 'refresh_token', refresh_token: refreshToken }, now });
  },

  async revoke(http, { origins, accessToken }) {
    const query = new URLSearchParams({ access_token: accessToken });
    try {
      const { status } = await http.send({ method: 'POST', url: `${origins.token}/oauth/revoke?${query}` });
      // 400 and 401: the token is not honoured any more, which is all that was wanted.
      return (status >= 200 && status < 300) || status === 400 || status === 401;
    } catch (error) {
      if (error instanceof ProviderUnreachable) return false;
      throw error;
    }
  },

  async subject(http, { origins, accessToken }) {
    const reply = await http.send({
      method: 'GET',
      url: `${origins.api}/v2/usercollection/personal_info`,
      headers: { authorization: `Bearer ${accessToken}` },
    });
    if (reply.status !== 200) throw new ProviderUnreachable(`http_${reply.status}`);
    const id = readObject(reply)?.['id'];
    if (typeof id !== 'string' || id === '') throw new ProviderUnreachable('personal_info_without_id');
    return id;
  },
};

async function askForGrant(
  http: ProviderHttp,
  { origins, client, form, now }: { origins: Origins; client: ClientCredentials; form: Record<string, string>; now: number },
): Promise<GrantOutcome> {
  let reply: ProviderReply;
  try {
    reply = await http.send({
      method: 'POST',
      url: `${origins.token}/oauth/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ ...form, client_id: client.clientId, client_secret: client.clientSecret }).toString(),
    });
  } catch (error) {
    if (error instanceof ProviderUnreachable) return { is: 'transient', code: error.code };
    throw error;
  }
  const body = readObject(reply);
  if (reply.status === 200) {
    const grant = body === undefined ? undefined : readGrant(body, now);
    return grant === undefined ? { is: 'transient', code: 'token_reply_malformed' } : { is: 'granted', grant };
  }
  if ((reply.status === 400 || reply.status === 401) && body?.['error'] === 'invalid_grant') return { is: 'invalid-grant' };
  // Among these: a client secret that is wrong. It says nothing about the person's grant.
  return { is: 'transient', code: `token_http_${reply.status}` };
}

function readGrant(body: Record<string, unknown>, now: number): Grant | undefined {
  const accessToken = body['access_token'];
  if (typeof accessToken !== 'string' || accessToken === '') return undefined;
  const refreshToken = body['refresh_token'];
  const life = Number(body['expires_in'] ?? ASSUMED_LIFE_S);
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
    expiresAt: now + (Number.isFinite(life) && life > 0 ? life : ASSUMED_LIFE_S) * 1000,
    scopes: typeof body['scope'] === 'string' ? body['scope'].split(/[ ,]+/).filter(Boolean) : [...scopes],
  };
}

function readObject(reply: ProviderReply): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(reply.body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
