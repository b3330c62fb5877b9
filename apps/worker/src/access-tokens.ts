import type { Origins, Provider } from '@tributary/providers';
import {
  type ClaimedWindow,
  type SealedTokens,
  inTransaction,
  limitLockWait,
  loadLiveSecrets,
  lockConnectionTokens,
  narrowScopes,
  storeTokens,
} from '@tributary/storage';
import { CallsRefused } from './budget-visit.js';
import type { BudgetedHttp } from './budgeted-http.js';
import { Slots } from './slots.js';
import type { WorkerContext } from './worker-context.js';

export type TokenOutcome =
  /** `fresh`: not the one that the window was claimed with. */
  | { readonly is: 'token'; readonly value: string; readonly fresh: boolean }
  /** Nobody can get a token with this refresh token (undefined: there is none). */
  | { readonly is: 'refused'; readonly refreshToken: Buffer | undefined }
  | { readonly is: 'ended' }
  | { readonly is: 'transient'; readonly code: string };

/** A token this close to its end may end under way. */
const SPARE_MS = 60_000;
/** Longer than a call to a provider may take, so that whoever waits finds the new token rather than an error. */
const LOCK_WAIT_MS = 12_000;
const LOCK_NOT_AVAILABLE = '55P03';
/** After a refresh that failed, the connection's windows do not ask again for so long; three times as long each time. */
const FIRST_HOLD_MS = 5_000;
const LONGEST_HOLD_MS = 300_000;
/** Failures that are remembered before those that are over are looked for. */
const MANY = 1_000;
/** Of our own making, and over by itself. */
const passing: ReadonlySet<string> = new Set(['refresh_busy', 'token_changed']);

interface Address {
  readonly provider: Provider;
  readonly origins: Origins;
}

/**
 * Access tokens, refreshed when needed. Refresh tokens are single-use at most providers: two refreshes with one of them end the grant.
 * So one process at a time refreshes a connection (row lock), who waited takes what the other stored, and a new pair is committed
 * before anybody uses it.
 */
export class AccessTokens {
  readonly #underWay = new Map<string, Promise<TokenOutcome>>();
  readonly #slots: Slots;
  readonly #failures = new Map<string, { readonly times: number; readonly until: number; readonly code: string }>();

  constructor(
    private readonly context: WorkerContext,
    private readonly lockWaitMs = LOCK_WAIT_MS,
  ) {
    this.#slots = new Slots(context.refreshes);
  }

  /** @param refused a token that the provider did not accept: any other one will do. @throws CallsRefused */
  async tokenFor(window: ClaimedWindow, address: Address, refused?: string): Promise<TokenOutcome> {
    const known =
      window.accessToken === undefined ? undefined : this.context.keys.open(window.accessToken, `connection:${window.connectionId}:access`);
    if (refused === undefined && known !== undefined && this.#lasts(window.tokenExpiresAt))
      return { is: 'token', value: known, fresh: false };
    const unwanted = refused ?? known;
    const connection = `${window.tenantId}/${window.environment}/${window.connectionId}`;
    const failure = this.#failures.get(connection);
    // Two hundred windows of one connection are one question, not two hundred.
    if (failure !== undefined && failure.until > this.context.clock()) return { is: 'transient', code: failure.code };
    const name = `${connection} ${unwanted ?? ''}`;
    let asked = this.#underWay.get(name);
    if (asked === undefined) {
      asked = this.#slots.run(() => this.#refreshCounted(window, address, unwanted)).finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, asked);
    }
    return asked;
  }

  #lasts(expiresAt: number | undefined): boolean {
    return expiresAt === undefined || expiresAt - this.context.clock() > SPARE_MS;
  }

  /** The call is taken before anything is locked. As a live one, whoever needs it: all that is read of the person waits for it. */
  async #refreshCounted(window: ClaimedWindow, address: Address, unwanted: string | undefined): Promise<TokenOutcome> {
    const { tenantId, environment, providerAppId, connectionId, sandbox } = window;
    const account = { tenantId, environment, providerAppId, connectionId, sandbox, provider: address.provider, calls: 'other' } as const;
    const calls = this.context.budget.open(this.context.http, account, 'live');
    let outcome: TokenOutcome;
    try {
      await calls.reserve();
      outcome = await this.#refresh(window, { ...address, calls }, unwanted);
    } finally {
      await calls.close();
    }
    if (outcome.is === 'transient' && calls.refusal !== undefined) throw new CallsRefused(calls.refusal);
    this.#remember(`${tenantId}/${environment}/${connectionId}`, outcome);
    return outcome;
  }

  #remember(connection: string, outcome: TokenOutcome): void {
    const now = this.context.clock();
    if (outcome.is !== 'transient') this.#failures.delete(connection);
    else if (!passing.has(outcome.code)) {
      if (this.#failures.size >= MANY) for (const [name, { until }] of this.#failures) if (until <= now) this.#failures.delete(name);
      const times = (this.#failures.get(connection)?.times ?? 0) + 1;
      const until = now + Math.min(FIRST_HOLD_MS * 3 ** (times - 1), LONGEST_HOLD_MS);
      this.#failures.set(connection, { times, until, code: outcome.code });
    }
  }

  async #refresh(
    window: ClaimedWindow,
    address: Address & { readonly calls: BudgetedHttp },
    unwanted: string | undefined,
  ): Promise<TokenOutcome> {
    const { pool, metrics } = this.context;
    let obtained: { readonly old: Buffer; readonly tokens: SealedTokens } | undefined;
    const keep = (old: Buffer, tokens: SealedTokens) => {
      obtained = { old, tokens };
    };
    let outcome: TokenOutcome;
    try {
      outcome = await inTransaction(pool, (client) => this.#refreshLocked(client, window, { ...address, unwanted, keep }));
    } catch (error) {
      if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) outcome = { is: 'transient', code: 'refresh_busy' };
      else if (obtained === undefined) throw error;
      else outcome = await this.#storeLate(window, obtained);
    }
    if (outcome.is !== 'token' || obtained) metrics.refreshes.inc({ outcome: outcome.is === 'token' ? 'granted' : outcome.is });
    return outcome;
  }

  /** The one transaction that stays open during a call to a provider; the call's deadline bounds it. */
  async #refreshLocked(
    client: Parameters<Parameters<typeof inTransaction>[1]>[0],
    window: ClaimedWindow,
    {
      provider,
      origins,
      calls,
      unwanted,
      keep,
    }: Address & { calls: BudgetedHttp; unwanted: string | undefined; keep: (old: Buffer, tokens: SealedTokens) => void },
  ): Promise<TokenOutcome> {
    const { keys, clock } = this.context;
    const { connectionId } = window;
    await limitLockWait(client, this.lockWaitMs);
    const held = await lockConnectionTokens(client, window, connectionId);
    if (held?.status !== 'active') return { is: 'ended' };
    const stored = held.accessToken === undefined ? undefined : keys.open(held.accessToken, `connection:${connectionId}:access`);
    if (stored !== undefined && stored !== unwanted && (held.expiresAt ?? Infinity) > clock())
      return { is: 'token', value: stored, fresh: true };
    if (held.refreshToken === undefined) return { is: 'refused', refreshToken: undefined };
    const secret = (await loadLiveSecrets(client, window, window.providerAppId)).find(({ purpose }) => purpose === 'client_secret');
    if (secret === undefined) return { is: 'transient', code: 'no_client_secret' };
    const credentials = { clientId: window.clientId, clientSecret: keys.open(secret.sealed, `provider_app_secret:${secret.id}`) };
    const refreshToken = keys.open(held.refreshToken, `connection:${connectionId}:refresh`);
    const answer = await provider.oauth.refresh(calls, { origins, client: credentials, refreshToken, now: clock() });
    if (answer.is === 'invalid-grant') return { is: 'refused', refreshToken: held.refreshToken };
    if (answer.is === 'transient') return answer;
    const { grant } = answer;
    const tokens = {
      accessToken: keys.seal(grant.accessToken, `connection:${connectionId}:access`),
      refreshToken:
        grant.refreshToken === undefined ? held.refreshToken : keys.seal(grant.refreshToken, `connection:${connectionId}:refresh`),
      expiresAt: grant.expiresAt,
    };
    keep(held.refreshToken, tokens);
    await storeTokens(client, window, connectionId, tokens);
    await narrowScopes(client, window, connectionId, grant.scopes);
    return { is: 'token', value: grant.accessToken, fresh: true };
  }

  /** The pair was given and the commit failed. Losing it would end the grant, so it is stored once more, unless someone else did. */
  async #storeLate(window: ClaimedWindow, { old, tokens }: { old: Buffer; tokens: SealedTokens }): Promise<TokenOutcome> {
    const { pool, keys } = this.context;
    const stored = await inTransaction(pool, async (client) => {
      const held = await lockConnectionTokens(client, window, window.connectionId);
      if (held?.refreshToken === undefined || !held.refreshToken.equals(old)) return false;
      await storeTokens(client, window, window.connectionId, tokens);
      return true;
    });
    if (!stored) return { is: 'transient', code: 'token_changed' };
    return { is: 'token', value: keys.open(tokens.accessToken, `connection:${window.connectionId}:access`), fresh: true };
  }
}
