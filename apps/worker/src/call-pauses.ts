import type { FetchLane } from '@tributary/handoffs';
import { type ClaimedWindow, holdBackApp, holdBackConnection } from '@tributary/storage';
import type { Pause } from './budget-visit.js';
import { classOf, priorityOf } from './call-budget-buckets.js';
import type { WorkerContext } from './worker-context.js';

/** What a slice knows of pauses while it works. */
export interface Pauses {
  /** Milliseconds that this window has to wait, jitter included; 0: none. */
  waitMs(window: ClaimedWindow): number;
  note(window: ClaimedWindow, pause: Pause): void;
}

interface Known {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly pause: Pause;
  readonly window: ClaimedWindow;
  /** Lanes whose waiting windows were held back. */
  readonly lanes: Set<string>;
}

/** Windows that one statement holds back. */
const MOST_HELD = 2_000;
/** Where it found so many there are likely more, behind those that it looked at. */
const MORE_LIKELY = 100;
const JITTER_SHARE = 0.1;
const JITTER_MAX_MS = 30_000;
/** Pauses that are remembered before those that are over are looked for. */
const MANY = 1_000;

/**
 * Pauses that this process has met, until they end. The buckets know them too; this spares the visit, and holds back what waits behind the
 * same pause in one statement for each lane, instead of claiming it window by window.
 */
export class CallPauses {
  readonly #known = new Map<string, Known>();

  constructor(private readonly context: Pick<WorkerContext, 'pool' | 'clock' | 'random' | 'log'>) {}

  /** @returns the pauses as one slice sees them, and what is to be done after it. */
  forSlice(lane: FetchLane): Pauses & { holdBack(): Promise<void> } {
    const name = `${lane.tenantId}/${lane.environment} ${lane.lane}`;
    const met = new Set<Known>();
    const meet = (known: Known) => {
      if (known.lanes.has(name)) return;
      known.lanes.add(name);
      met.add(known);
    };
    return {
      waitMs: (window) => {
        const known = this.#pauseOf(window);
        if (known === undefined) return 0;
        meet(known);
        return this.#jittered(known.until - this.context.clock());
      },
      note: (window, pause) => {
        if (pause.alone !== true) meet(this.#remember(window, pause));
      },
      holdBack: async () => {
        for (const known of met) await this.#holdBack(lane, name, known);
      },
    };
  }

  #pauseOf(window: ClaimedWindow): Known | undefined {
    const now = this.context.clock();
    const priority = priorityOf(classOf(window.priority));
    let longest: Known | undefined;
    for (const scope of ['app', 'connection'] as const) {
      // A pause of a more urgent class holds for the others too.
      for (let kind = 0; kind <= priority; kind += 1) {
        const known = this.#known.get(keyOf(window, scope, kind));
        if (known !== undefined && known.until > now && known.until > (longest?.until ?? 0)) longest = known;
      }
    }
    return longest;
  }

  #remember(window: ClaimedWindow, pause: Pause): Known {
    const key = keyOf(window, pause.scope, priorityOf(pause.kind));
    const now = this.context.clock();
    const before = this.#known.get(key);
    const until = now + pause.waitMs;
    // The same pause again, with other jitter.
    if (before !== undefined && before.until > now && until - before.until < Math.max(pause.waitMs * JITTER_SHARE, 1_000)) return before;
    if (this.#known.size >= MANY) for (const [name, known] of this.#known) if (known.until <= now) this.#known.delete(name);
    const known = { until, pause, window, lanes: new Set<string>() };
    this.#known.set(key, known);
    return known;
  }

  async #holdBack(lane: FetchLane, name: string, { until, pause, window, lanes }: Known): Promise<void> {
    const { pool, clock, log } = this.context;
    const afterMs = until - clock();
    if (afterMs <= 0) return;
    const how = { priority: priorityOf(pause.kind), afterMs, spacingMs: pause.spacingMs, limit: MOST_HELD };
    try {
      const held =
        pause.scope === 'app'
          ? await holdBackApp(pool, lane, window.providerAppId, how)
          : await holdBackConnection(pool, lane, window.connectionId, how);
      if (held >= MORE_LIKELY) lanes.delete(name);
      if (held > 0)
        log.info({ what: 'windows.held_back', provider: window.provider, scope: pause.scope, class: pause.kind, windows: held });
    } catch (error) {
      // Each of them meets the pause by itself then.
      lanes.delete(name);
      log.warn({ what: 'windows.not_held_back', provider: window.provider, err: error });
    }
  }

  #jittered(waitMs: number): number {
    return Math.ceil(waitMs + this.context.random() * Math.min(waitMs * JITTER_SHARE, JITTER_MAX_MS));
  }
}

function keyOf({ tenantId, environment, providerAppId, connectionId }: ClaimedWindow, scope: 'app' | 'connection', kind: number): string {
  return `${tenantId}/${environment}/${scope === 'app' ? providerAppId : connectionId} ${kind}`;
}
