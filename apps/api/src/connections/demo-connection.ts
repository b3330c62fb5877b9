import { randomBytes } from 'node:crypto';
import { Problem, civilDayAt } from '@tributary/domain';
import { type Provider, ProviderUnreachable } from '@tributary/providers';
import { newId } from '@tributary/service-shell';
import { type HeldConnection, type ProviderAppRow, findDemoApp, findProviderApp, lockConnectionOfUser } from '@tributary/storage';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import { prepareConsent, storeConsent } from '../connect-pages/begin-consent.js';
import type { IssueTickets } from '../issue-tickets.js';
import { makeProviderApp } from '../provider-apps/make-provider-app.js';
import { openSecret } from '../provider-apps/open-secrets.js';
import { demoDocuments } from './demo-person.js';
import { finishConsent } from './finish-consent.js';
import { SandboxControl } from './sandbox-control.js';

const CLIENT_PREFIX = 'demo-';

/**
 * Connects a user to a person whom the sandbox makes up: an app and a person at the stand-in, two weeks of data, and then the very consent
 * that a real person goes through. Again for the same user: the same person, and the connection that is there.
 * @returns the id of the connection
 * @throws Problem `conflict` without a sandbox, or when the user is connected otherwise.
 */
export async function connectDemo(
  context: ApiContext,
  tickets: IssueTickets,
  caller: Caller,
  wish: { readonly userId: string; readonly provider: string },
): Promise<string> {
  const { userId } = wish;
  const { provider, documentsOf, sandboxUrl } = demoProvider(context, wish.provider);
  const held = await lockConnectionOfUser(context.pool, caller, userId, provider.id);
  const app = held === undefined ? await demoApp(context, caller, provider.id) : await appOfDemo(context, caller, held);
  if (held?.status === 'active') return held.id;
  const control = new SandboxControl(context.http, sandboxUrl, provider.id);
  // The sandbox forgets all when it is started again.
  await control.send('POST', '/apps', {
    clientId: app.clientId,
    clientSecret: await openSecret(context, caller, app.id, 'client_secret'),
    redirectUris: [`${context.publicApiUrl}/connect/callback`],
  });
  const subjectId = await makePerson(control, held?.subjectId);
  for (const { collection, id, document } of documentsOf(subjectId, civilDayAt(context.now(), 0))) {
    await control.send('PUT', `/people/${subjectId}/documents/${collection}/${id}`, { document });
  }
  return consent(context, tickets, caller, { userId, provider, app, control, subjectId });
}

function demoProvider({ providers, sandboxUrl }: ApiContext, id: string) {
  const provider = providers.get(id);
  const documentsOf = demoDocuments[id];
  if (provider === undefined || documentsOf === undefined) {
    throw new Problem('validation_failed', 'There are no demo connections at that provider.', [
      { path: 'provider', message: `is not one of ${Object.keys(demoDocuments).join(', ')}` },
    ]);
  }
  if (sandboxUrl === undefined)
    throw new Problem('conflict', 'This installation has no sandbox to connect to (TRIBUTARY_SANDBOX_URL is not set).');
  return { provider, documentsOf, sandboxUrl };
}

async function demoApp(context: ApiContext, caller: Caller, provider: string): Promise<ProviderAppRow> {
  const found = await findDemoApp(context.pool, caller, provider, CLIENT_PREFIX);
  if (found !== undefined) return found;
  const { row } = await makeProviderApp(context, caller, {
    provider,
    clientId: `${CLIENT_PREFIX}${randomBytes(9).toString('base64url')}`,
    clientSecret: randomBytes(32).toString('base64url'),
    webhookSecret: undefined,
    sandbox: true,
    acceptsCarried: false,
    toleranceS: 300,
  });
  return row;
}

/** The app that a user's connection came through. @throws Problem `conflict` when it is none of ours. */
async function appOfDemo(context: ApiContext, caller: Caller, held: HeldConnection): Promise<ProviderAppRow> {
  const app = await findProviderApp(context.pool, caller, held.providerAppId);
  if (app === undefined || !app.sandbox || app.state === 'disabled' || !app.clientId.startsWith(CLIENT_PREFIX))
    throw new Problem('conflict', 'This user is connected to an account of that provider already. Make another user for the demo.');
  return app;
}

async function makePerson(control: SandboxControl, subjectId: string | undefined): Promise<string> {
  const made = await control.send('POST', '/people', { name: 'Demo person', ...(subjectId !== undefined && { subjectId }) });
  const id = made?.['subjectId'] ?? subjectId;
  if (typeof id !== 'string') throw new ProviderUnreachable('sandbox_reply_malformed');
  return id;
}

interface DemoConsent {
  readonly userId: string;
  readonly provider: Provider;
  readonly app: ProviderAppRow;
  readonly control: SandboxControl;
  readonly subjectId: string;
}

async function consent(context: ApiContext, tickets: IssueTickets, caller: Caller, demo: DemoConsent): Promise<string> {
  const { tenantId, environment } = caller;
  const prepared = await prepareConsent(context, caller, demo.provider, demo.app);
  const of = { tenantId, environment, linkId: newId('ses'), userId: demo.userId, browserHash: undefined, returnUrl: undefined };
  await storeConsent(context.pool, of, prepared);
  const back = await demo.control.agree(prepared.authorizeUrl, demo.subjectId);
  const one = (name: string) => back.get(name) ?? undefined;
  const answer = { state: one('state'), code: one('code'), error: one('error'), scope: one('scope'), browserHash: undefined };
  const { end } = await finishConsent(context, tickets, answer, caller.requestId);
  if (end.is === 'failed') {
    // Another request for the same user was quicker, with a person of its own.
    const held = await lockConnectionOfUser(context.pool, caller, demo.userId, demo.provider.id);
    if (end.problem.code === 'subject_mismatch' && held?.status === 'active') return held.id;
    throw end.problem;
  }
  if (end.is === 'denied') throw new Problem('provider_refused', 'The sandbox did not agree to share anything.');
  return end.connectionId;
}
