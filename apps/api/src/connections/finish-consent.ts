import { createHash } from 'node:crypto';
import { Problem } from '@tributary/domain';
import type { Grant, Origins, Provider } from '@tributary/providers';
import { type TakenConnectSession, awaitTokenRefresh, endConnectSession, takeConnectSession } from '@tributary/storage';
import { problemOf } from '../answers/problem-of.js';
import type { ApiContext } from '../api-context.js';
import type { IssueTickets } from '../issue-tickets.js';
import { openSecret } from '../provider-apps/open-secrets.js';
import { requiredOrigins } from '../provider-apps/required-origins.js';
import { codeVerifier } from './code-verifier.js';
import { keepGrant } from './keep-grant.js';

/** What the provider sent the person back with. */
export interface ConsentAnswer {
  readonly state: string | undefined;
  readonly code: string | undefined;
  readonly error: string | undefined;
  /** What was granted, of providers that say it here. */
  readonly scope: string | undefined;
  /** SHA-256 of the browser's cookie; undefined: it has none. */
  readonly browserHash: Buffer | undefined;
}

export interface FinishedConsent {
  readonly session: Pick<TakenConnectSession, 'id' | 'linkId' | 'hosted' | 'tenantId' | 'environment' | 'returnUrl'>;
  readonly end:
    | { readonly is: 'connected'; readonly connectionId: string }
    | { readonly is: 'denied' }
    | { readonly is: 'failed'; readonly problem: Problem };
}

/**
 * Ends a consent: state to session (once), code to tokens, tokens to the person behind them, all of it to a connection. How it ended is
 * kept for the page that the person sees next; a process that is killed before leaves them to begin anew.
 * @throws Problem `state_invalid` when there is no session to end: then nobody can say where the person should go.
 */
export async function finishConsent(
  context: ApiContext,
  tickets: IssueTickets,
  answer: ConsentAnswer,
  requestId: string,
): Promise<FinishedConsent> {
  const stateHash = answer.state === undefined ? undefined : createHash('sha256').update(answer.state).digest();
  const session = stateHash && (await takeConnectSession(context.pool, stateHash, answer.browserHash));
  if (session === undefined) {
    throw new Problem(
      'state_invalid',
      'This consent is not known, was finished before, took longer than ten minutes, or was begun in another browser. Begin anew from the app that sent you here.',
    );
  }
  const end = await endOf(context, tickets, { session, answer, requestId });
  await endConnectSession(context.pool, session, session.id, {
    is: end.is,
    code: end.is === 'failed' ? end.problem.code : undefined,
    connectionId: end.is === 'connected' ? end.connectionId : undefined,
  });
  return { session, end };
}

async function endOf(
  context: ApiContext,
  tickets: IssueTickets,
  { session, answer, requestId }: { session: TakenConnectSession; answer: ConsentAnswer; requestId: string },
): Promise<FinishedConsent['end']> {
  if (answer.error === 'access_denied') return { is: 'denied' };
  try {
    const { state, code } = answer;
    if (answer.error !== undefined || state === undefined || code === undefined) {
      throw new Problem('provider_refused', 'The provider ended the consent with an error instead of a code.');
    }
    const provider = context.providers.get(session.provider);
    if (provider === undefined) throw new Problem('conflict', `This installation no longer speaks with ${session.provider}.`);
    const { grant, subjectId } = await redeem(context, provider, session, { state, code, scope: answer.scope });
    await awaitTokenRefresh(context.pool, session, session.userId);
    const { connectionId } = await keepGrant(context, tickets, { session, by: 'consent', provider, grant, subjectId, requestId });
    return { is: 'connected', connectionId };
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === 'internal') context.log.error({ what: 'consent.failed', requestId, err: error });
    return { is: 'failed', problem };
  }
}

async function redeem(
  context: ApiContext,
  provider: Provider,
  session: TakenConnectSession,
  { state, code, scope }: { state: string; code: string; scope: string | undefined },
): Promise<{ grant: Grant; subjectId: string }> {
  const origins = requiredOrigins(provider, session.sandbox, context.sandboxUrl);
  const client = { clientId: session.clientId, clientSecret: await openSecret(context, session, session.providerAppId, 'client_secret') };
  const outcome = await provider.oauth.exchange(context.http, {
    origins,
    client,
    code,
    redirectUri: session.redirectUri,
    ...(scope !== undefined && { grantedScope: scope }),
    ...(provider.oauth.pkce && { codeVerifier: codeVerifier(state, client.clientSecret) }),
    now: context.now(),
  });
  switch (outcome.is) {
    case 'invalid-grant':
      throw new Problem('provider_refused', 'The provider does not accept the code (any more). Begin the consent anew.');
    case 'transient':
      throw new Problem('provider_unavailable', `The provider gave no usable answer: ${outcome.code}. Begin the consent anew.`);
    case 'granted':
      return { grant: outcome.grant, subjectId: outcome.grant.subjectId ?? (await askSubject(context, provider, origins, outcome.grant)) };
  }
}

async function askSubject(context: ApiContext, provider: Provider, origins: Origins, { accessToken }: Grant): Promise<string> {
  const subjectId = await provider.oauth.subject(context.http, { origins, accessToken });
  if (subjectId === undefined)
    throw new Problem('provider_unavailable', 'The provider did not say whose data it is. Begin the consent anew.');
  return subjectId;
}
