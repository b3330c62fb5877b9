import { type Fate, type FetchOutcome, type ReadOfWindow, fateOf } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { type ClaimedWindow, type HeldTokens, type Letter, parkWindow, postponeWindow, deletionWasTold } from '@tributary/storage';
import { AccessTokens } from './access-tokens.js';
import { ApplyQueue } from './apply-queue.js';
import type { Pauses } from './call-pauses.js';
import { withDeletedSpan } from './deleted-spans.js';
import { giveUp, noteEnd } from './end-of-window.js';
import { endGrant } from './end-grant.js';
import { followRead } from './follow-read.js';
import { cancelForbidden, refuseScope } from './permissions.js';
import { type Reading, type SinceClaim, readProvider } from './read-provider.js';
import { withRekeyed } from './rekeyed-rows.js';
import { type ReadEvidence, type SeenRows, seenGone, seenRows } from './seen-rows.js';
import type { WorkerContext } from './worker-context.js';

type Read = Extract<Reading, { is: 'read' }>;

/** One transaction holds so much at most: some tens of milliseconds of work, for which the others of its environment wait. */
const MOST_READS = 16;
const MOST_ROWS = 1_000;

/** Of the path of a fault. */
const LONGEST_DETAIL = 500;

/** Brings one claimed window to its next state: reads it at the provider, and does what follows from that. */
export class WindowWork {
  readonly #tokens: AccessTokens;
  readonly #applies: ApplyQueue;

  constructor(private readonly context: WorkerContext) {
    this.#tokens = new AccessTokens(context);
    const transactions = Math.max(1, Math.floor(context.pool.options.max / 2));
    this.#applies = new ApplyQueue(context.pool, { transactions, reads: MOST_READS, rows: MOST_ROWS });
  }

  /**
   * @returns endpoints that are owed something now. Throws only when the database fails: then the lease ends by itself.
   */
  async run(window: ClaimedWindow, sinceClaim: SinceClaim, pauses: Pauses): Promise<readonly string[]> {
    if (window.connectionStatus !== 'active') return this.#park(window);
    if (this.context.draining()) return this.#again(window, { afterMs: 0, why: 'handed_on' });
    const pauseMs = pauses.waitMs(window);
    if (pauseMs > 0) return this.#again(window, { afterMs: pauseMs, why: 'rate_limited' });
    let refused: string | undefined;
    for (;;) {
      const reading = await this.#read(window, sinceClaim, refused);
      if (reading.is === 'not-permitted') return cancelForbidden(this.context, window);
      if (reading.is === 'no-token') return this.#withoutToken(window, reading.why);
      if (reading.is === 'unreachable') return this.#fail(window, { is: 'transient', code: reading.code });
      if (reading.pause !== undefined) pauses.note(window, reading.pause);
      const fate = this.#fate(window, reading, await this.#deletionTold(window, reading.outcome));
      if (fate.do !== 'refresh-token') return this.#follow(window, reading, fate);
      refused = reading.token;
    }
  }

  async #read(window: ClaimedWindow, sinceClaim: SinceClaim, refused: string | undefined): Promise<Reading> {
    try {
      return await readProvider(this.context, this.#tokens, window, { sinceClaim, refused });
    } catch (error) {
      // A fault of ours. It costs an attempt, so that a window that always meets it ends in a dead letter and not in a circle.
      const { connectionId, collection } = window;
      this.context.log.error({ what: 'window.read_failed', connectionId, collection, err: error });
      return { is: 'unreachable', code: 'internal' };
    }
  }

  /** Asked only where it matters: of an object that is not there, though the newest notice said that it changed. */
  async #deletionTold(window: ClaimedWindow, outcome: FetchOutcome): Promise<boolean> {
    return outcome.is === 'gone' && window.expects === 'changed' && (await deletionWasTold(this.context.pool, window));
  }

  #fate(window: ClaimedWindow, { outcome, freshToken }: Pick<Read, 'outcome' | 'freshToken'>, deletionTold: boolean): Fate {
    const { expects, windowKind, contradictions } = window;
    // A backfill ends where it is refused; whether the scope is lost, the windows of the day find out.
    const attempts = window.backfillId !== undefined && outcome.is === 'forbidden' ? Infinity : window.attempts;
    const read: ReadOfWindow = { outcome, expects, windowKind, attempts, contradictions, freshToken, deletionTold };
    return fateOf(read, this.context.clock(), this.context.random());
  }

  async #follow(window: ClaimedWindow, read: Read, fate: Fate): Promise<readonly string[]> {
    switch (fate.do) {
      case 'apply': {
        const { outcome } = read;
        if (outcome.is !== 'records') throw new Error('Only records are applied');
        const { records, faults = [] } = outcome;
        const complete = outcome.complete && faults.length === 0;
        const shown = seenRows(records, this.#evidence(window, read, complete));
        const told = await withDeletedSpan(this.context.pool, window, shown);
        const seen = await withRekeyed(this.context.pool, window, this.context.providers.get(window.provider), told);
        const owed = await this.#apply(window, seen, this.#letterOf(window, seen, faults, fate.incomplete));
        return [...owed, ...(await followRead(this.context, window, { read, shown }))];
      }
      case 'remove':
        return this.#apply(window, seenGone(window.windowStart, this.#evidence(window, read, true)), undefined);
      case 'leave':
        return this.#apply(window, seenRows([], this.#evidence(window, read, true)), undefined);
      case 'again':
        return this.#again(window, { ...fate, afterMs: fate.at - this.context.clock() });
      case 'bury': {
        const { bucket, code, detail } = fate;
        await giveUp(this.context, window, { bucket, code, detail });
        this.#tell(window, { bucket, code, detail });
        return read.outcome.is === 'forbidden' && window.backfillId === undefined
          ? refuseScope(this.context, window, read.outcome.scope)
          : [];
      }
      case 'require-reauth':
        return this.#endGrant(
          window,
          (tokens) =>
            tokens.accessToken !== undefined &&
            this.context.keys.open(tokens.accessToken, `connection:${window.connectionId}:access`) === read.token,
        );
      case 'refresh-token':
        throw new Error('A token is refreshed before its fate is followed');
    }
  }

  async #apply(window: ClaimedWindow, seen: SeenRows, letter: Letter | undefined): Promise<readonly string[]> {
    const end = { is: letter === undefined ? 'read' : 'failed', records: seen.rows.length } as const;
    const applied = await this.#applies.add({ window, seen, letter, also: (sql) => noteEnd(sql, window, end) });
    for (const [verdict, count] of applied.verdicts) this.context.metrics.records.inc({ verdict }, count);
    if (applied.result !== 'lost' && letter !== undefined)
      this.#tell(window, { bucket: letter.bucket, code: letter.code, detail: letter.detail });
    const flapping = applied.verdicts.get('flapping');
    if (flapping !== undefined) this.#tell(window, { code: 'flapping', values: flapping });
    return applied.endpoints;
  }

  #evidence(window: ClaimedWindow, { readVersion, fresh, via }: Read, complete: boolean): ReadEvidence {
    const { userId, connectionId, provider, collection } = window;
    return {
      readVersion,
      fresh,
      via,
      complete,
      clockDomain: provider,
      normalizerVersion: this.#normalizerOf(provider),
      collection,
      owner: { userId, connectionId, provider },
    };
  }

  /** What was not believed of a read that was written otherwise. */
  #letterOf(window: ClaimedWindow, { putAside }: SeenRows, faults: readonly string[], incomplete: boolean): Letter | undefined {
    const letter = (code: string, paths: readonly string[]): Letter => {
      const more = paths.length > 1 ? ` (and ${paths.length - 1} more)` : '';
      const detail = `${(paths[0] ?? '').slice(0, LONGEST_DETAIL)}${more}`;
      return { id: newId('dl'), bucket: 'drift', code, detail, normalizerVersion: this.#normalizerOf(window.provider) };
    };
    if (faults.length > 0) return letter('drift', faults);
    if (putAside.length > 0) return letter('impossible_value', putAside);
    return incomplete ? letter('too_many_pages', ['next_token']) : undefined;
  }

  #normalizerOf(provider: string): number {
    return this.context.providers.get(provider)?.normalizerVersion ?? 1;
  }

  #withoutToken(window: ClaimedWindow, why: Extract<Reading, { is: 'no-token' }>['why']): Promise<readonly string[]> {
    switch (why.is) {
      case 'ended':
        return this.#park(window);
      case 'transient':
        return this.#fail(window, why);
      case 'refused':
        return this.#endGrant(window, ({ refreshToken }) =>
          refreshToken === undefined ? why.refreshToken === undefined : (why.refreshToken?.equals(refreshToken) ?? false),
        );
    }
  }

  async #endGrant(window: ClaimedWindow, refused: (tokens: HeldTokens) => boolean): Promise<readonly string[]> {
    const end = await endGrant(this.context, window, refused);
    if (end.is === 'over') return this.#park(window);
    if (end.is === 'superseded') return this.#fail(window, { is: 'transient', code: 'token_changed' });
    this.context.log.warn({ what: `connection.${end.status}`, connectionId: window.connectionId });
    return end.endpoints;
  }

  async #fail(window: ClaimedWindow, outcome: Extract<FetchOutcome, { is: 'transient' }>): Promise<readonly string[]> {
    const fate = this.#fate(window, { outcome, freshToken: true }, false);
    const now = window.claimedAt / 1000;
    const read: Read = {
      is: 'read',
      outcome,
      token: '',
      freshToken: true,
      readVersion: window.claimedAt,
      fresh: { from: now, to: now },
      via: 'pull',
    };
    return this.#follow(window, read, fate);
  }

  async #park(window: ClaimedWindow): Promise<readonly string[]> {
    await parkWindow(this.context.pool, window);
    return [];
  }

  async #again(
    window: ClaimedWindow,
    { afterMs, attempts, contradictions, why }: { afterMs: number; attempts?: number; contradictions?: number; why: string },
  ): Promise<readonly string[]> {
    await postponeWindow(this.context.pool, window, {
      afterMs: Math.max(afterMs, 0),
      attempts: attempts ?? window.attempts,
      contradictions: contradictions ?? window.contradictions,
      why,
    });
    if (why !== 'handed_on') this.#tell(window, { code: why, nextInMs: Math.round(afterMs), attempts: attempts ?? window.attempts });
    return [];
  }

  /** One line for each read that did not end well. */
  #tell({ connectionId, collection, windowKind, provider, backfillId }: ClaimedWindow, how: Record<string, unknown>): void {
    const { bucket, code } = how;
    // What a backfill may not read has no letter: nobody looks at a wrong day for that.
    if (typeof bucket === 'string' && !(code === 'forbidden' && backfillId !== undefined))
      this.context.metrics.deadLetters.inc({ provider, bucket });
    this.context.log.warn({ what: 'window.not_refreshed', connectionId, collection, windowKind, ...how });
  }
}
