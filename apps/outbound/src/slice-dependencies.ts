import type { Clock, KeyRing, Logger } from '@tributary/service-shell';
import type { Database } from '@tributary/storage';
import type { OutboundMetrics } from './outbound-metrics.js';
import type { Poster } from './post-to-endpoint.js';

export interface SliceDependencies {
  readonly pool: Database['pool'];
  readonly keys: KeyRing;
  readonly poster: Poster;
  /** Deadline of one request; the lease is made from it. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: OutboundMetrics;
  /** True once the process is to end: nothing new is begun. */
  readonly draining: () => boolean;
}
