import { Problem } from '@tributary/domain';
import { type Grant, type Origins, type Provider, ProviderUnreachable } from '@tributary/providers';
import { type ProviderAppRow, chooseProviderApp, findUserByExternalId, lockConnectionOfUser, subjectIsErased } from '@tributary/storage';
import type { z } from 'zod';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import type { IssueTickets } from '../issue-tickets.js';
import { openSecret } from '../provider-apps/open-secrets.js';
import { requiredOrigins } from '../provider-apps/required-origins.js';
import { findOrMakeUser } from './find-or-make-user.js';
import type { importedGrant } from './grant.js';
import { keepGrant } from './keep-grant.js';

type Wish = z.infer<typeof importedGrant>;

/** Of access tokens that come without an end. The first call that is refused ends it sooner. */
const ASSUMED_LIFE_MS = 3_600_000;

export interface ImportedGrant {
  readonly status: 'created' | 'renewed' | 'unchanged';
  readonly userId: string;
  readonly connectionId: string;
}

/**
 * Takes over a grant that the customer had before us. Doing it twice changes nothing: a grant that works here is never replaced, since an
 * old copy of it may hold a refresh token whose use would end it.
 * @throws Problem for this entry: `validation_failed`, `gone` (erased), `subject_mismatch`, `provider_refused`, `provider_unavailable`.
 */
export async function importGrant(
  context: ApiContext,
  tickets: IssueTickets,
  caller: Caller,
  { wish, verify }: { readonly wish: Wish; readonly verify: boolean },
): Promise<ImportedGrant> {
  const provider = context.providers.get(wish.provider);
  const app = provider && (await chooseProviderApp(context.pool, caller, provider.id));
  if (provider === undefined || app === undefined)
    throw new Problem(
      'validation_failed',
      `There is no provider app of ${wish.provider} to keep the grant for. Make one at /v1/provider-apps.`,
    );
  const hashes = context.keys.subjectHashes(app.id, wish.subjectId);
  if (await subjectIsErased(context.pool, caller, app.id, hashes))
    throw new Problem('gone', 'This person was erased. Only a consent of their own brings them back: send them a connect session.');
  const existing = await findUserByExternalId(context.pool, caller, wish.userExternalId);
  const held = existing && (await lockConnectionOfUser(context.pool, caller, existing.id, provider.id));
  if (existing !== undefined && held !== undefined && held.subjectId !== wish.subjectId) throw otherPerson('This user is connected to');
  if (existing !== undefined && held?.status === 'active') return { status: 'unchanged', userId: existing.id, connectionId: held.id };
  const given: Grant = {
    accessToken: wish.accessToken,
    refreshToken: wish.refreshToken,
    expiresAt: wish.expiresAt === undefined ? context.now() + ASSUMED_LIFE_MS : Date.parse(wish.expiresAt),
    scopes: wish.scopes ?? provider.oauth.scopes,
  };
  const grant = verify ? await verified(context, caller, { provider, app, given, subjectId: wish.subjectId }) : given;
  const user = existing ?? (await findOrMakeUser(context, caller, { user: { externalId: wish.userExternalId } }));
  const { connectionId, did } = await keepGrant(context, tickets, {
    session: { tenantId: caller.tenantId, environment: caller.environment, userId: user.id, providerAppId: app.id },
    by: 'import',
    provider,
    grant,
    subjectId: wish.subjectId,
    requestId: caller.requestId,
    actor: caller.actor,
  });
  return { status: did, userId: user.id, connectionId };
}

interface Claimed {
  readonly provider: Provider;
  readonly app: ProviderAppRow;
  readonly given: Grant;
  readonly subjectId: string;
}

/** The grant as it is after the provider has honoured it. */
async function verified(context: ApiContext, caller: Caller, { provider, app, given, subjectId }: Claimed): Promise<Grant> {
  const origins = requiredOrigins(provider, app.sandbox, context.sandboxUrl);
  const first = await subjectOf(context, provider, origins, given.accessToken);
  if (first !== null) return belonging(given, first, subjectId);
  if (given.refreshToken === undefined)
    throw new Problem('provider_refused', 'The provider does not honour the access token, and there is no refresh token.');
  const client = { clientId: app.clientId, clientSecret: await openSecret(context, caller, app.id, 'client_secret') };
  const outcome = await provider.oauth.refresh(context.http, { origins, client, refreshToken: given.refreshToken, now: context.now() });
  if (outcome.is === 'invalid-grant')
    throw new Problem('provider_refused', 'The provider honours neither the access nor the refresh token.');
  if (outcome.is === 'transient') throw new Problem('provider_unavailable', `The provider gave no usable answer: ${outcome.code}.`);
  const renewed = { ...outcome.grant, refreshToken: outcome.grant.refreshToken ?? given.refreshToken };
  const second = await subjectOf(context, provider, origins, renewed.accessToken);
  if (second === null) throw new Problem('provider_refused', 'The provider does not honour the token that it has just made.');
  return belonging(renewed, second ?? renewed.subjectId, subjectId);
}

/** Undefined where no read names the person; null when the token is not honoured. @throws ProviderUnreachable */
async function subjectOf(
  { http }: ApiContext,
  { oauth }: Provider,
  origins: Origins,
  accessToken: string,
): Promise<string | undefined | null> {
  try {
    return await oauth.subject(http, { origins, accessToken });
  } catch (error) {
    if (error instanceof ProviderUnreachable && error.code === 'http_401') return null;
    throw error;
  }
}

function belonging(grant: Grant, found: string | undefined, said: string): Grant {
  if (found !== undefined && found !== said) throw otherPerson('The token is of');
  return grant;
}

function otherPerson(begin: string): Problem {
  return new Problem('subject_mismatch', `${begin} another account at the provider than subjectId says.`);
}
