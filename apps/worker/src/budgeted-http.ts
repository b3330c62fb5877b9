import type { CallClass } from '@tributary/domain';
import type { ProviderHttp, ProviderReply } from '@tributary/providers';
import type { Clock, Logger } from '@tributary/service-shell';
import type { Answered, Ask, Pause, Report, TakenCalls } from './budget-visit.js';
import type { Account } from './call-budget-buckets.js';
import type { WorkerMetrics } from './worker-metrics.js';

/** Calls that a read with many pages takes at once, at most: a visit to the buckets costs more than it keeps. */
const MOST_AT_ONCE = 8;

/** Where calls are taken. */
interface Budget {
  /** @throws CallsRefused */
  take(account: Account, ask: Ask, report?: Report): Promise<TakenCalls>;
  report(account: Account, report: Report): Promise<Pause | undefined>;
}

interface Parts {
  readonly http: ProviderHttp;
  readonly clock: Clock;
  readonly monotonic: () => number;
  readonly log: Logger;
  readonly metrics: WorkerMetrics;
  readonly budget: Budget;
  readonly account: Account;
  readonly kind: CallClass;
  /** Calls that are taken before the first is made. */
  readonly need: number;
  /** Told at the end how many were made, and whether there were too few. */
  readonly note: (calls: number, tooFew: boolean) => void;
}

/**
 * The client as it is lent to an adapter for one read: each call is taken from the buckets before it is made, and what the answer says of
 * them is heeded. A call that there is not throws CallsRefused, which no adapter catches.
 */
export class BudgetedHttp implements ProviderHttp {
  #taken: TakenCalls | undefined;
  #left = 0;
  #goodUntil = 0;
  #next: number;
  #made = 0;
  #tooFew = false;
  #isCut = false;
  #answer: Answered | undefined;
  #turn: Promise<void> = Promise.resolve();
  #refusal: Pause | undefined;

  constructor(private readonly parts: Parts) {
    this.#next = parts.need;
  }

  /** Set once the provider refused a call for its rate. */
  get refusal(): Pause | undefined {
    return this.#refusal;
  }

  /** The read had all calls that its class can ever have at once, and they were too few: waiting does not help. */
  get outgrown(): boolean {
    return this.#tooFew && this.#isCut;
  }

  async send(request: Parameters<ProviderHttp['send']>[0]): Promise<ProviderReply> {
    const { http, monotonic, metrics, account, kind } = this.parts;
    await this.#inTurn(async () => {
      await this.#provide();
      this.#left -= 1;
      this.#made += 1;
    });
    metrics.calls.inc({ provider: account.provider.id, class: kind });
    const askedAt = monotonic();
    const reply = await http.send(request);
    await this.#heed({ reply, askedAt, answeredAt: monotonic() });
    return reply;
  }

  /** Makes sure that the next call can be made. @throws CallsRefused */
  reserve(): Promise<void> {
    return this.#inTurn(() => this.#provide());
  }

  /** Gives back what was not used. Never throws: the buckets fill by themselves too. */
  async close(): Promise<void> {
    this.parts.note(this.#made, this.#tooFew);
    const report = { answer: this.#answer, unused: this.#unused() };
    this.#answer = undefined;
    if (report.answer === undefined && report.unused === undefined) return;
    try {
      this.#note(await this.parts.budget.report(this.parts.account, report));
    } catch (error) {
      this.parts.log.warn({ what: 'budget.not_reported', provider: this.parts.account.provider.id, err: error });
    }
  }

  /** One after the other, so that two calls of a read do not both find the same one left. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #provide(): Promise<void> {
    const { budget, account, kind, monotonic } = this.parts;
    if (this.#left > 0 && monotonic() < this.#goodUntil) return;
    const report = { answer: this.#answer, unused: this.#unused() };
    this.#answer = undefined;
    const since = monotonic();
    const isFirst = this.#taken === undefined;
    try {
      this.#taken = await budget.take(account, { calls: this.#next, kind, orOne: !isFirst }, report);
    } catch (error) {
      this.#tooFew = this.#made > 0;
      throw error;
    }
    if (isFirst) this.#isCut = this.#taken.calls < this.#next;
    this.#left = this.#taken.calls;
    this.#goodUntil = since + this.#taken.goodForMs;
    this.#next = isFirst ? Math.min(this.parts.need, MOST_AT_ONCE) : Math.min(this.#next * 2, MOST_AT_ONCE);
  }

  #unused(): TakenCalls | undefined {
    if (this.#taken === undefined || this.#left === 0) return undefined;
    const unused = { ...this.#taken, calls: this.#left };
    this.#left = 0;
    return unused;
  }

  async #heed(answer: Answered): Promise<void> {
    const { budget, account, clock } = this.parts;
    const { limits } = account.provider;
    const isRefused = limits.refusalOf(answer.reply, clock()) !== undefined;
    // A refusal is told at once, since others are about to call; but not while the lock of a refresh is held.
    if (isRefused && account.calls === 'reads') this.#note(await budget.report(account, { answer }));
    // Of the rest the newest says all: it is told with the next visit.
    else if (isRefused || limits.quotasOf(answer.reply, clock()).length > 0) this.#answer = answer;
  }

  #note(refusal: Pause | undefined): void {
    if (refusal === undefined) return;
    this.#refusal = refusal;
    const { account, kind, metrics } = this.parts;
    metrics.callRefusals.inc({ provider: account.provider.id, scope: refusal.scope, class: kind, by: 'provider' });
  }
}
