import { type Origins, type ProviderHttp, ProviderUnreachable } from '../provider.js';
import { replyObject } from '../reply.js';
import { signRs256 } from '../signature/rs256.js';

/** What an account may do that manages the subscribers of a Cloud project. */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIFE_S = 300;

export interface ServiceAccount {
  readonly email: string;
  readonly keyId: string | undefined;
  readonly privateKey: string;
}

/** The JSON key that Google lets one download. Addresses in it are not followed: where tokens are had is ours to know. */
export function readServiceAccount(text: string): ServiceAccount | undefined {
  let key: unknown;
  try {
    key = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof key !== 'object' || key === null) return undefined;
  const { client_email: email, private_key: privateKey, private_key_id: keyId } = key as Record<string, unknown>;
  if (typeof email !== 'string' || email === '' || typeof privateKey !== 'string') return undefined;
  return { email, privateKey, keyId: typeof keyId === 'string' ? keyId : undefined };
}

/** In words for who typed it in; undefined when the key can sign. */
export function faultOfServiceAccount(text: string): string | undefined {
  const account = readServiceAccount(text);
  return account === undefined || signRs256('', account.privateKey) === undefined
    ? 'is not the JSON key of a service account, with its `client_email` and `private_key`: give the whole file as it was downloaded'
    : undefined;
}

/** A token of the account itself (RFC 7523). @param now epoch milliseconds. @throws ProviderUnreachable */
export async function accountToken(http: ProviderHttp, account: ServiceAccount, origins: Origins, now: number): Promise<string> {
  const url = `${origins.token}/token`;
  const issuedAt = Math.floor(now / 1000);
  const header = { alg: 'RS256', typ: 'JWT', ...(account.keyId !== undefined && { kid: account.keyId }) };
  const claims = { iss: account.email, scope: SCOPE, aud: url, iat: issuedAt, exp: issuedAt + LIFE_S };
  const signed = `${encoded(header)}.${encoded(claims)}`;
  const signature = signRs256(signed, account.privateKey);
  if (signature === undefined) throw new ProviderUnreachable('subscription_service_account_malformed');
  const reply = await http.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion: `${signed}.${signature.toString('base64url')}` }).toString(),
  });
  if (reply.status !== 200) throw new ProviderUnreachable(`subscription_token_http_${reply.status}`);
  const token = replyObject(reply)?.['access_token'];
  if (typeof token !== 'string' || token === '') throw new ProviderUnreachable('subscription_token_malformed');
  return token;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
