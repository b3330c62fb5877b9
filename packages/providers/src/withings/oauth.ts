import { authorizeUrlOf } from '../authorize-url.js';
import { Drift } from '../drift.js';
import {
  type ClientCredentials,
  type GrantOutcome,
  type OAuth,
  type Origins,
  type ProviderHttp,
  ProviderUnreachable,
} from '../provider.js';
import { hmacSha256 } from '../signature/hmac.js';
import { type WithingsAnswer, type WithingsCall, authFailed, postAction, readAnswer } from './call.js';

/** `user.info` is for the account's notifications and the check of a grant, `user.activity` covers sleep summaries too. */
const scopes = ['user.info', 'user.metrics', 'user.activity'] as const;

const ASSUMED_LIFE_S = 10_800;

/** The person is not known to Withings, or shares nothing with the app: what a revocation wants is so already. */
const nobodyThere: ReadonlySet<number> = new Set([247, 250]);

export const withingsOAuth: OAuth = {
  scopes,

  authorizeUrl: authorizeUrlOf({ path: '/oauth2_user/authorize2', separator: ',' }),

  /** The code lives for 30 seconds. */
  exchange(http, { code, redirectUri, ...input }) {
    return requestToken(http, input, { grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  },

  /** Every refresh gives a new refresh token. */
  refresh(http, { refreshToken, ...input }) {
    return requestToken(http, input, { grant_type: 'refresh_token', refresh_token: refreshToken });
  },

  /** By the person's id and a signed call, not by the token: it ends the grant and its subscriptions. */
  async revoke(http, { origins, client, subjectId, now }) {
    const timestamp = String(Math.floor(now / 1000));
    const asked = await attempt(http, {
      url: `${origins.token}/v2/signature`,
      action: 'getnonce',
      fields: { client_id: client.clientId, timestamp, signature: signatureOf(client, 'getnonce', timestamp) },
    });
    const nonce = asked?.status === 0 ? asked.body['nonce'] : undefined;
    if (typeof nonce !== 'string' || nonce === '') return false;
    const done = await attempt(http, {
      url: `${origins.token}/v2/oauth2`,
      action: 'revoke',
      fields: { client_id: client.clientId, nonce, signature: signatureOf(client, 'revoke', nonce), userid: subjectId },
    });
    return done !== undefined && (done.status === 0 || nobodyThere.has(done.status));
  },

  /** No read names the person; the list of devices is the smallest. */
  async subject(http, { origins, accessToken }) {
    const reply = await postAction(http, { url: `${origins.api}/v2/user`, action: 'getdevice', accessToken });
    if (reply.status !== 200) throw new ProviderUnreachable(`http_${reply.status}`);
    const { status } = unwrapped(() => readAnswer(reply)) ?? { status: -1 };
    if (authFailed.has(status)) throw new ProviderUnreachable('http_401');
    if (status !== 0) throw new ProviderUnreachable(`withings_${status}`);
    return undefined;
  },
};

async function requestToken(
  http: ProviderHttp,
  { origins, client, now }: { origins: Origins; client: ClientCredentials; now: number },
  grant: Record<string, string>,
): Promise<GrantOutcome> {
  const fields = { client_id: client.clientId, client_secret: client.clientSecret, ...grant };
  let code = 'token_reply_malformed';
  const answer = await attempt(http, { url: `${origins.token}/v2/oauth2`, action: 'requesttoken', fields }, (failed) => {
    code = failed;
  });
  if (answer === undefined) return { is: 'transient', code };
  if (answer.status !== 0) {
    return isWorthless(answer) ? { is: 'invalid-grant' } : { is: 'transient', code: `token_status_${answer.status}` };
  }
  const { access_token: accessToken, refresh_token: refreshToken, userid, scope } = answer.body;
  const life = Number(answer.body['expires_in'] ?? ASSUMED_LIFE_S);
  if (typeof accessToken !== 'string' || accessToken === '') return { is: 'transient', code };
  return {
    is: 'granted',
    grant: {
      accessToken,
      refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
      expiresAt: now + (life > 0 ? life : ASSUMED_LIFE_S) * 1000,
      scopes: typeof scope === 'string' && scope !== '' ? scope.split(/[ ,]+/).filter(Boolean) : [...scopes],
      // A number, or its digits.
      ...(Number.isSafeInteger(userid) || (typeof userid === 'string' && userid !== '') ? { subjectId: String(userid) } : {}),
    },
  };
}

/** Of a code or refresh token. Fault with the client's own credentials comes with the same numbers, and says nothing about the grant. */
function isWorthless({ status, error }: WithingsAnswer): boolean {
  if (/client|secret|signature/i.test(error)) return false;
  return status === 503 || (status === 401 && /token|code|grant/i.test(error));
}

/** HMAC-SHA256 of the values in the order of their names: `action`, `client_id`, then `nonce` or `timestamp`. */
function signatureOf(client: ClientCredentials, action: string, last: string): string {
  return hmacSha256(client.clientSecret, `${action},${client.clientId},${last}`).toString('hex');
}

/** @returns undefined when there was no answer in the envelope. @param onFailure told why, in a stable word. */
async function attempt(http: ProviderHttp, call: WithingsCall, onFailure?: (code: string) => void): Promise<WithingsAnswer | undefined> {
  try {
    const reply = await postAction(http, call);
    if (reply.status === 200) return unwrapped(() => readAnswer(reply));
    onFailure?.(`token_http_${reply.status}`);
  } catch (error) {
    if (!(error instanceof ProviderUnreachable)) throw error;
    onFailure?.(error.code);
  }
  return undefined;
}

function unwrapped(read: () => WithingsAnswer): WithingsAnswer | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Drift) return undefined;
    throw error;
  }
}
