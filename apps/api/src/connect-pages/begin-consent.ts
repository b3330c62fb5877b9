import { createHash, randomBytes } from 'node:crypto';
import { Problem, type Scope } from '@tributary/domain';
import type { Provider } from '@tributary/providers';
import { newId } from '@tributary/service-shell';
import { type ProviderAppRow, type Sql, insertConnectSession } from '@tributary/storage';
import type { ApiContext } from '../api-context.js';
import { codeChallenge, codeVerifier } from '../connections/code-verifier.js';
import { openSecret } from '../provider-apps/open-secrets.js';
import { requiredOrigins } from '../provider-apps/required-origins.js';

/** As long as providers keep their codes good. */
const LIFETIME_S = 600;
/** Nobody tries more often by hand. */
const MOST_OF_LINK = 50;

export interface PreparedConsent {
  readonly app: ProviderAppRow;
  readonly redirectUri: string;
  readonly stateHash: Buffer;
  /** Where the person consents. */
  readonly authorizeUrl: string;
}

export interface ConsentOfLink extends Scope {
  readonly linkId: string;
  readonly userId: string;
  readonly browserHash: Buffer | undefined;
  readonly returnUrl: string | undefined;
}

/** Makes the state of a consent and the address that carries it. Nothing is stored yet. @throws Problem `conflict` without a client secret. */
export async function prepareConsent(context: ApiContext, scope: Scope, provider: Provider, app: ProviderAppRow): Promise<PreparedConsent> {
  const state = randomBytes(32).toString('base64url');
  const redirectUri = `${context.publicApiUrl}/connect/callback`;
  const clientSecret = await openSecret(context, scope, app.id, 'client_secret');
  const authorizeUrl = provider.oauth.authorizeUrl({
    origins: requiredOrigins(provider, app.sandbox, context.sandboxUrl),
    clientId: app.clientId,
    redirectUri,
    state,
    scopes: provider.oauth.scopes,
    ...(provider.oauth.pkce && { codeChallenge: codeChallenge(codeVerifier(state, clientSecret)) }),
  });
  return { app, redirectUri, stateHash: createHash('sha256').update(state).digest(), authorizeUrl };
}

/** @returns when it ends. @throws Problem `not_found` when the user was erased, `too_many_requests` when the link has begun too many. */
export async function storeConsent(sql: Sql, of: ConsentOfLink, { app, redirectUri, stateHash }: PreparedConsent): Promise<Date> {
  const expiresAt = await insertConnectSession(sql, {
    tenantId: of.tenantId,
    environment: of.environment,
    id: newId('ses'),
    linkId: of.linkId,
    userId: of.userId,
    providerAppId: app.id,
    stateHash,
    browserHash: of.browserHash,
    redirectUri,
    returnUrl: of.returnUrl,
    lifetimeS: LIFETIME_S,
    mostOfLink: MOST_OF_LINK,
  });
  if (expiresAt === undefined)
    throw new Problem('too_many_requests', 'A consent was begun many times with this link, or its user was erased. Make a new link.');
  return expiresAt;
}
