import { type EnsuredSubscriptions, ProviderUnreachable, originsOf } from '@tributary/providers';
import { newId } from '@tributary/service-shell';
import {
  type ClaimedUpkeep,
  type Sql,
  addProviderAppSecret,
  claimUpkeep,
  endUpkeep,
  hastenSweeps,
  inTransaction,
  insertAuditEntry,
  loadLiveSecrets,
} from '@tributary/storage';
import { nextCheckMs } from './subscription-upkeep-due.js';
import { CallsRefused } from './budget-visit.js';
import type { WorkerContext } from './worker-context.js';

const SLICE = 5;
/** An app may have dozens of subscriptions, each with a call and a handshake of its own. */
const LEASE_MS = 600_000;
/** Within this the connections of an app are swept whose webhooks did not come for a while. */
const CATCH_UP_MS = 3_600_000;
/** A provider repeats what was not received for a week at most (Polar). */
const MADE_SECRET_OVERLAP_S = 7 * 86_400;
/** So long before the end a failure is told as an error. */
const RUNNING_OUT_MS = 3 * 86_400_000;

type Check = { readonly is: 'kept'; readonly ensured: EnsuredSubscriptions } | { readonly is: 'failed'; readonly code: string };

/** Ids of the providers whose subscriptions are the app's. */
export function keptProviders({ providers }: Pick<WorkerContext, 'providers'>): string[] {
  return [...providers.values()].filter(({ subscriptions }) => subscriptions.per === 'app').map(({ id }) => id);
}

/** Those of them that ask with nothing but what every app has. */
export function adoptableProviders({ providers }: Pick<WorkerContext, 'providers'>): string[] {
  return keptProviders({ providers }).filter((id) => providers.get(id)?.subscriptions.needs === undefined);
}

/**
 * Looks at the subscriptions of apps that are due: renews what runs out, makes what is missing, switches on what was switched off. Where
 * something was lost, its connections are swept soon. @returns how many were looked at.
 */
export async function checkSubscriptions(context: WorkerContext): Promise<number> {
  const claimed = await claimUpkeep(context.pool, { providers: keptProviders(context), limit: SLICE, leaseMs: LEASE_MS });
  await Promise.all(claimed.map((app) => checkApp(context, app)));
  return claimed.length;
}

async function checkApp(context: WorkerContext, app: ClaimedUpkeep): Promise<void> {
  const { pool, clock, random, metrics, log } = context;
  const check = await ensureOf(context, app);
  const { ensured, code } = check.is === 'kept' ? { ensured: check.ensured, code: undefined } : { ensured: undefined, code: check.code };
  const lost = (ensured?.lapsed ?? 0) > 0 || (app.keptBefore && (ensured?.created ?? 0) > 0);
  const end = { attempts: code === undefined ? 0 : app.attempts + 1, expiresAt: ensured?.expiresAt };
  const outcome = {
    leaseToken: app.leaseToken,
    error: code,
    nextCheckInMs: nextCheckMs(end, clock(), random()),
    expiresAt: ensured?.expiresAt,
    keyLost: ensured?.secret === undefined && (app.keyLost || code === 'subscription_key_lost'),
  };
  const hastened = await inTransaction(pool, async (client) => {
    // Kept even when the lease has ended meanwhile: nobody is shown this key a second time.
    if (ensured?.secret !== undefined) await keepSecret(context, client, app, ensured.secret);
    const isOurs = await endUpkeep(client, app, app.providerAppId, outcome);
    return isOurs && lost ? hastenSweeps(client, app, app.providerAppId, CATCH_UP_MS) : 0;
  });
  metrics.subscriptionChecks.inc({ provider: app.provider, outcome: code !== undefined ? 'failed' : lost ? 'mended' : 'kept' });
  const who = { provider: app.provider, providerApp: app.providerAppId };
  if (lost) log.warn({ what: 'subscriptions.had_lapsed', ...who, created: ensured?.created, lapsed: ensured?.lapsed ?? 0, hastened });
  if (code !== undefined) tellFailure(context, app, code, end.attempts);
}

/** What an error log line is worth: nobody will be told anything soon. */
function tellFailure({ log, clock }: WorkerContext, app: ClaimedUpkeep, code: string, attempts: number): void {
  const line = { what: 'subscriptions.not_kept', provider: app.provider, providerApp: app.providerAppId, code, attempts };
  if (app.expiresAt !== undefined && app.expiresAt - clock() < RUNNING_OUT_MS) log.error({ ...line, endsAt: new Date(app.expiresAt) });
  else log.warn(line);
}

async function ensureOf(context: WorkerContext, app: ClaimedUpkeep): Promise<Check> {
  const { pool, providers, sandboxUrl, keys, http, budget, publicIngestUrl, clock, log } = context;
  const provider = providers.get(app.provider);
  const origins = provider && originsOf(provider, app.sandbox, sandboxUrl);
  if (provider === undefined || origins === undefined) return { is: 'failed', code: 'sandbox_not_set' };
  const { tenantId, environment, providerAppId, sandbox } = app;
  const account = { tenantId, environment, providerAppId, sandbox, provider, connectionId: undefined, calls: 'other' } as const;
  const calls = budget.open(http, account, 'live');
  try {
    const secrets = await loadLiveSecrets(pool, app, app.providerAppId);
    const open = (wanted: (typeof secrets)[number]['purpose']) => {
      const found = secrets.find(({ purpose }) => purpose === wanted);
      return found && keys.open(found.sealed, `provider_app_secret:${found.id}`);
    };
    const [clientSecret, verificationToken, webhookSecret] = [open('client_secret'), open('verification_token'), open('webhook_secret')];
    const serviceAccount = open('service_account');
    if (clientSecret === undefined) return { is: 'failed', code: 'no_client_secret' };
    if (verificationToken === undefined) return { is: 'failed', code: 'no_verification_token' };
    const ensured = await provider.subscriptions.ensure(calls, {
      origins,
      client: { clientId: app.clientId, clientSecret },
      callbackUrl: `${publicIngestUrl}/in/${app.provider}/${app.appKey}`,
      verificationToken,
      knowsWebhookSecret: !app.keyLost && webhookSecret !== undefined,
      ...(webhookSecret !== undefined && { webhookSecret }),
      ...(serviceAccount !== undefined && { serviceAccount }),
      onlyMend: true,
      now: clock(),
    });
    return { is: 'kept', ensured };
  } catch (error) {
    if (error instanceof ProviderUnreachable) return { is: 'failed', code: error.code };
    if (error instanceof CallsRefused) return { is: 'failed', code: 'rate_limited' };
    log.error({ what: 'subscriptions.check_failed', providerApp: app.providerAppId, err: error });
    return { is: 'failed', code: 'internal' };
  } finally {
    await calls.close();
  }
}

/** A key of the provider's own making. The earlier ones stay live for what is under way. */
async function keepSecret({ keys }: WorkerContext, sql: Sql, app: ClaimedUpkeep, value: string): Promise<void> {
  const { tenantId, environment, providerAppId } = app;
  const id = newId('sec');
  const sealed = keys.seal(value, `provider_app_secret:${id}`);
  const secret = { tenantId, environment, providerAppId, id, purpose: 'webhook_secret', sealed, overlapS: MADE_SECRET_OVERLAP_S };
  await addProviderAppSecret(sql, secret);
  await insertAuditEntry(sql, {
    tenantId,
    environment,
    id: newId('aud'),
    actor: 'upkeep',
    action: 'provider_app.keep_secret',
    target: providerAppId,
    requestId: app.leaseToken,
  });
}
