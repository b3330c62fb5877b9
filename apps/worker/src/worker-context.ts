import type { Provider, ProviderHttp } from '@tributary/providers';
import type { Clock, KeyRing, Logger } from '@tributary/service-shell';
import type { Database } from '@tributary/storage';
import type { CallBudget } from './call-budget.js';
import type { WorkerMetrics } from './worker-metrics.js';

/** What the parts of this process are lent. */
export interface WorkerContext {
  readonly pool: Database['pool'];
  readonly keys: KeyRing;
  /** Not for adapters, whose calls are counted: they are lent a client of the budget. */
  readonly http: ProviderHttp;
  readonly budget: CallBudget;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Where providers reach ingest. */
  readonly publicIngestUrl: string;
  /** Where sandbox apps find every provider; undefined: this installation has no sandbox. */
  readonly sandboxUrl: string | undefined;
  readonly clock: Clock;
  /** Milliseconds that only ever grow, to measure spans with. */
  readonly monotonic: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: WorkerMetrics;
  readonly leaseMs: number;
  readonly slice: number;
  readonly fetches: number;
  /** Refreshes of tokens that may hold a database connection at the same moment. */
  readonly refreshes: number;
  readonly draining: () => boolean;
}

/** Under which Nest hands it to the processors. */
export const WORKER_CONTEXT = Symbol('worker context');
