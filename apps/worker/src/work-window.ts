import { type Fate, type FetchOutcome, type ReadOfWindow, fateOf } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { type ClaimedWindow, type HeldTokens, buryWindow, parkWindow, postponeWindow, settleWindow } from '@tributary/storage';
import { AccessTokens } from './access-tokens.js';
import { type Finish, applyWindow } from './apply-window.js';
import { giveUp, noteEnd } from './end-of-window.js';
import { endGrant } from './end-grant.js';
import { type Reading, readProvider } from './read-provider.js';
import { type SeenRows, seenGone, seenRows } from './seen-rows.js';
import type { WorkerContext } from './worker-context.js';

/** Pauses that provider apps were asked for, by the app's id, in epoch milliseconds. */
export type Pauses = Map<string, number>;

type Read = Extract<Reading, { is: 'read' }>;

/** Brings one claimed window to its next state: reads it at the provider, and does what follows from that. */
export class WindowWork {
  readonly #tokens: AccessTokens;

  constructor(private readonly context: WorkerContext) {
    this.#tokens = new AccessTokens(context);
  }

  /**
   * @param claimedFor milliseconds since the claim returned.
   * @returns endpoints that are owed something now. Throws only when the database fails: then the lease ends by itself.
   */
  async run(window: ClaimedWindow, claimedFor: () => number, pauses: Pauses): Promise<readonly string[]> {
    if (window.connectionStatus !== 'active') return this.#park(window);
    if (this.context.draining()) return this.#again(window, { afterMs: 0, why: 'handed_on' });
    const pause = (pauses.get(window.providerAppId) ?? 0) - this.context.clock();
    if (pause > 0) return this.#again(window, { afterMs: pause, why: 'rate_limited' });
    let refused: string | undefined;
    for (;;) {
      const reading = await this.#read(window, claimedFor, refused);
      if (reading.is === 'no-token') return this.#withoutToken(window, reading.why);
      if (reading.is === 'unreachable') return this.#fail(window, { is: 'transient', code: reading.code });
      if (reading.outcome.is === 'rate-limited') pauses.set(window.providerAppId, reading.outcome.retryAt);
      const fate = this.#fate(window, reading.outcome, reading.freshToken);
      if (fate.do !== 'refresh-token') return this.#follow(window, reading, fate);
      refused = reading.token;
    }
  }

  async #read(window: ClaimedWindow, claimedFor: () => number, refused: string | undefined): Promise<Reading> {
    try {
      return await readProvider(this.context, this.#tokens, window, { claimedFor, refused });
    } catch (error) {
      // A fault of ours. It costs an attempt, so that a window that always meets it ends in a dead letter and not in a circle.
      const { connectionId, collection } = window;
      this.context.log.error({ what: 'window.read_failed', connectionId, collection, err: error });
      return { is: 'unreachable', code: 'internal' };
    }
  }

  #fate(window: ClaimedWindow, outcome: FetchOutcome, freshToken: boolean): Fate {
    const { expects, windowKind, attempts, contradictions } = window;
    const read: ReadOfWindow = { outcome, expects, windowKind, attempts, contradictions, freshToken };
    return fateOf(read, this.context.clock(), this.context.random());
  }

  async #follow(window: ClaimedWindow, read: Read, fate: Fate): Promise<readonly string[]> {
    switch (fate.do) {
      case 'apply': {
        const records = read.outcome.is === 'records' ? read.outcome.records : [];
        const letter = { bucket: 'drift', code: 'too_many_pages', detail: 'next_token' } as const;
        const bury: Finish = async (sql) => {
          await buryWindow(sql, window, { id: newId('dl'), ...letter });
          await noteEnd(sql, window, { is: 'failed', records: records.length });
          return true;
        };
        return this.#apply(window, seenRows(records, read.readVersion, window.collection), fate.incomplete ? bury : undefined);
      }
      case 'remove':
        return this.#apply(window, seenGone(window.windowStart, read.readVersion), undefined);
      case 'again':
        return this.#again(window, { ...fate, afterMs: fate.at - this.context.clock() });
      case 'bury': {
        const { bucket, code, detail } = fate;
        await giveUp(this.context, window, { bucket, code, detail });
        this.#tell(window, { bucket, code, detail });
        return [];
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

  async #apply(window: ClaimedWindow, seen: SeenRows, finish: Finish | undefined): Promise<readonly string[]> {
    const settle: Finish = async (sql) => {
      const settled = await settleWindow(sql, window, { coveredVersion: window.requestedVersion, readVersion: seen.readVersion });
      if (settled) await noteEnd(sql, window, { is: 'read', records: seen.rows.length });
      return settled;
    };
    const applied = await applyWindow(this.context, window, seen, finish ?? settle);
    for (const [verdict, count] of applied.verdicts) this.context.metrics.records.inc({ verdict }, count);
    return applied.endpoints;
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
    const fate = this.#fate(window, outcome, true);
    return this.#follow(window, { is: 'read', outcome, token: '', freshToken: true, readVersion: window.claimedAt }, fate);
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
  #tell({ connectionId, collection, windowKind }: ClaimedWindow, how: Record<string, unknown>): void {
    this.context.log.warn({ what: 'window.not_refreshed', connectionId, collection, windowKind, ...how });
  }
}
