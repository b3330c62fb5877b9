import {
  type ClientCredentials,
  type Grant,
  type GrantOutcome,
  type Origins,
  type ProviderHttp,
  type ProviderReply,
  ProviderUnreachable,
} from './provider.js';
import { replyObject } from './reply.js';

export interface TokenRequest {
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Stand in for a missing `expires_in` and a missing `scope`. */
  readonly assumed: { readonly lifeS: number; readonly scopes: readonly string[] };
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether an answer of 400 or 401 says that the code or refresh token is worthless. RFC 6749 §5.2 unless said. */
  readonly isWorthless?: (body: Record<string, unknown>) => boolean;
  /** The person's id, where the answer names them. */
  readonly subjectOf?: (body: Record<string, unknown>) => string | undefined;
}

/** One call of an OAuth token endpoint, in a form. */
export async function askForGrant(http: ProviderHttp, request: TokenRequest): Promise<GrantOutcome> {
  const { url, form, headers, assumed, now, isWorthless = saysInvalidGrant } = request;
  let reply: ProviderReply;
  try {
    reply = await http.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
      body: new URLSearchParams(form).toString(),
    });
  } catch (error) {
    if (error instanceof ProviderUnreachable) return { is: 'transient', code: error.code };
    throw error;
  }
  const body = replyObject(reply);
  if (reply.status === 200) {
    const grant = body === undefined ? undefined : readGrant(body, assumed, now);
    if (body === undefined || grant === undefined) return { is: 'transient', code: 'token_reply_malformed' };
    const subjectId = request.subjectOf?.(body);
    return { is: 'granted', grant: subjectId === undefined ? grant : { ...grant, subjectId } };
  }
  if ((reply.status === 400 || reply.status === 401) && body !== undefined && isWorthless(body)) return { is: 'invalid-grant' };
  // Among these: a client secret that is wrong. It says nothing about the person's grant.
  return { is: 'transient', code: `token_http_${reply.status}` };
}

const saysInvalidGrant = (body: Record<string, unknown>): boolean => body['error'] === 'invalid_grant';

function readGrant(body: Record<string, unknown>, { lifeS, scopes }: TokenRequest['assumed'], now: number): Grant | undefined {
  const accessToken = body['access_token'];
  if (typeof accessToken !== 'string' || accessToken === '') return undefined;
  const refreshToken = body['refresh_token'];
  const life = Number(body['expires_in'] ?? lifeS);
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
    expiresAt: now + (Number.isFinite(life) && life > 0 ? life : lifeS) * 1000,
    scopes: typeof body['scope'] === 'string' ? body['scope'].split(/[ ,]+/).filter(Boolean) : [...scopes],
  };
}

/** Whether a call that ends a grant has done so. Unreachable is no. */
export async function isRevokedBy(http: ProviderHttp, request: Parameters<ProviderHttp['send']>[0]): Promise<boolean> {
  try {
    const { status } = await http.send(request);
    // 400 and 401: the token is not honoured any more, which is all that was wanted.
    return (status >= 200 && status < 300) || status === 400 || status === 401;
  } catch (error) {
    if (error instanceof ProviderUnreachable) return false;
    throw error;
  }
}

interface TokenEndpoint extends Pick<TokenRequest, 'assumed' | 'isWorthless'> {
  /** Behind the origin of the tokens. */
  readonly path: string;
}

/** A token endpoint that takes the client's credentials in the body, as most do. */
export function tokenEndpoint({ path, ...rest }: TokenEndpoint) {
  return (
    http: ProviderHttp,
    { origins, client, now }: { readonly origins: Origins; readonly client: ClientCredentials; readonly now: number },
    form: Readonly<Record<string, string>>,
  ): Promise<GrantOutcome> =>
    askForGrant(http, {
      url: origins.token + path,
      form: { ...form, client_id: client.clientId, client_secret: client.clientSecret },
      now,
      ...rest,
    });
}

/** The profile of the person behind a token; undefined when it is no object. @throws ProviderUnreachable `http_…` for any answer but 200. */
export async function askProfile(http: ProviderHttp, url: string, accessToken: string): Promise<Record<string, unknown> | undefined> {
  const reply = await http.send({ method: 'GET', url, headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' } });
  if (reply.status !== 200) throw new ProviderUnreachable(`http_${reply.status}`);
  return replyObject(reply);
}
