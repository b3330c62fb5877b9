import {
  type FetchOutcome,
  type Freshness,
  type Version,
  freshnessOfPull,
  freshnessOfPush,
  grantCollection,
  versionFromMs,
  windowFromColumns,
} from '@tributary/domain';
import { isPermitted, originsOf } from '@tributary/providers';
import { openCarried } from '@tributary/service-shell';
import { type ClaimedWindow, loadCarried } from '@tributary/storage';
import type { AccessTokens, TokenOutcome } from './access-tokens.js';
import { CallsRefused, type Pause } from './budget-visit.js';
import { classOf } from './call-budget-buckets.js';
import { paused } from './call-budget-outcome.js';
import { checkGrant } from './check-grant.js';
import { type ReadStanding, keepStanding } from './whereabouts.js';
import type { WorkerContext } from './worker-context.js';

/** One try to read a window. */
export type Reading =
  | {
      readonly is: 'read';
      readonly outcome: FetchOutcome;
      readonly token: string;
      /** The token was made for this read. */
      readonly freshToken: boolean;
      /** Start of the read, in microseconds by the database's clock, which all processes share. */
      readonly readVersion: Version;
      /** From the request to the answer, by the same clock; of what was pushed, up to now. */
      readonly fresh: Freshness;
      readonly via: 'pull' | 'push';
      /** What was known of the connection when it began. */
      readonly standing?: ReadStanding;
      /** What else of this app or person has to wait, since calls ran out. */
      readonly pause?: Pause | undefined;
    }
  /** The person does not let us read it; nobody was asked. */
  | { readonly is: 'not-permitted' }
  | { readonly is: 'no-token'; readonly why: Exclude<TokenOutcome, { is: 'token' }> }
  | { readonly is: 'unreachable'; readonly code: string };

/** Milliseconds since the database said what time it was: since its answer came, and since it was asked. */
export interface SinceClaim {
  atLeast(): number;
  atMost(): number;
}

export interface ReadOptions {
  readonly sinceClaim: SinceClaim;
  /** A token that the provider did not accept. */
  readonly refused: string | undefined;
}

/** Reads one window at its provider. */
export async function readProvider(
  context: WorkerContext,
  tokens: AccessTokens,
  window: ClaimedWindow,
  { sinceClaim, refused }: ReadOptions,
): Promise<Reading> {
  const provider = context.providers.get(window.provider);
  if (provider === undefined) return { is: 'unreachable', code: 'provider_unknown' };
  const standing = await keepStanding(context, window, provider);
  if (standing === undefined) return { is: 'no-token', why: { is: 'ended' } };
  const { whereabouts } = standing;
  if (!isPermitted(provider, window.collection, standing.scopes)) return { is: 'not-permitted' };
  const told = provider.carriedRecords === undefined ? [] : await loadCarried(context.pool, window);
  const { data, callbacks } = openCarried(context.keys, window.providerAppId, told);
  if (provider.carriedRecords !== undefined && data.length > 0) {
    // Nobody is asked, so no token is used.
    const outcome = provider.carriedRecords(window.collection, data, { now: context.clock(), whereabouts });
    context.metrics.fetches.inc({ provider: provider.id, outcome: outcome.is });
    const fresh = freshnessOfPush(undefined, undefined, nowAtMost(window, sinceClaim));
    return { is: 'read', outcome, token: '', freshToken: true, readVersion: window.claimedAt, fresh, via: 'push', standing };
  }
  const origins = originsOf(provider, window.sandbox, context.sandboxUrl);
  if (origins === undefined) return { is: 'unreachable', code: 'sandbox_not_set' };
  const { tenantId, environment, providerAppId, connectionId, sandbox } = window;
  const account = { tenantId, environment, providerAppId, connectionId, sandbox, provider, calls: 'reads' } as const;
  const calls = context.budget.open(context.http, account, classOf(window.priority), `${window.collection} ${window.windowKind}`);
  try {
    // First: who may not call needs no token.
    await calls.reserve();
    const got = await tokens.tokenFor(window, { provider, origins }, refused);
    if (got.is !== 'token') return { is: 'no-token', why: got };
    const readVersion = window.claimedAt + versionFromMs(sinceClaim.atLeast());
    const reach = { http: calls, origins, accessToken: got.value, now: context.clock(), whereabouts, callbacks };
    const asked =
      window.collection === grantCollection
        ? await checkGrant(context, window, provider, reach)
        : await provider.fetchRecords(window.collection, windowFromColumns(window), reach);
    const { outcome, pause } = paused(asked, calls.refusal, context.clock());
    context.metrics.fetches.inc({ provider: provider.id, outcome: outcome.is });
    const until = nowAtMost(window, sinceClaim);
    const told = outcome.is === 'records' ? outcome.asTold : undefined;
    const via = told === undefined ? 'pull' : 'push';
    // What was told is of the moment of its upload. Were it as old as its data may be, a read of before would keep it out for good.
    const to = told === undefined ? until : Math.min(Math.round(told), until);
    const fresh = freshnessOfPull(told === undefined ? Math.floor(readVersion / 1000) : to, to);
    return { is: 'read', outcome, pause, token: got.value, freshToken: got.fresh, readVersion, fresh, via, standing };
  } catch (error) {
    if (!(error instanceof CallsRefused)) throw error;
    // Tried a few times, and then for a person to see: it would use up everybody's calls, time and again.
    if (calls.outgrown) return { is: 'unreachable', code: 'more_calls_than_limit' };
    const waits = paused(undefined, error.pause, context.clock());
    return {
      is: 'read',
      ...waits,
      token: '',
      freshToken: true,
      readVersion: window.claimedAt,
      fresh: freshnessOfPull(Math.floor(window.claimedAt / 1000), nowAtMost(window, sinceClaim)),
      via: 'pull',
      standing,
    };
  } finally {
    await calls.close();
  }
}

/** The database's clock shows no more than this: epoch milliseconds. */
function nowAtMost({ claimedAt }: ClaimedWindow, sinceClaim: SinceClaim): number {
  return Math.ceil(claimedAt / 1000 + sinceClaim.atMost());
}
