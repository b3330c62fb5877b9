import { type AttemptCount, type AttemptDurations, type Backlog, type EndpointRow, statusClasses } from '@tributary/storage';
import type { z } from 'zod';
import { type StatsWindow, type endpointStats, slotMs } from './endpoint-stats.js';

export interface CountedAttempts {
  readonly counts: readonly AttemptCount[];
  readonly durations: readonly AttemptDurations[];
}

/** Puts together what was counted; slots in which nothing was tried are there too, with zeros. */
export function showEndpointStats(
  window: StatsWindow,
  { counts, durations }: CountedAttempts,
  backlog: Backlog,
  endpoint: EndpointRow,
): z.infer<typeof endpointStats> {
  const total = sums(
    counts,
    durations.find(({ slot }) => slot === null),
  );
  const slots = [];
  for (let at = window.from; at < window.to; at += slotMs(window.slot)) {
    const own = counts.filter(({ slot }) => slot.getTime() === at);
    slots.push({
      from: new Date(at).toISOString(),
      ...sums(
        own,
        durations.find(({ slot }) => slot?.getTime() === at),
      ),
    });
  }
  return {
    from: new Date(window.from).toISOString(),
    to: new Date(window.to).toISOString(),
    by: window.slot,
    total: { ...total, successRate: total.attempts === 0 ? null : (total.byOutcome['delivered'] ?? 0) / total.attempts },
    slots,
    pending: { count: backlog.count, more: backlog.more, oldestS: backlog.oldestS },
    status: endpoint.status,
    disabledReason: endpoint.disabledReason,
    lastSuccessAt: endpoint.lastSuccessAt?.toISOString() ?? null,
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    consecutiveFailures: endpoint.consecutiveFailures,
  };
}

function sums(counts: readonly AttemptCount[], durations: AttemptDurations | undefined) {
  const byOutcome: Record<string, number> = {};
  const byStatusClass = Object.fromEntries(statusClasses.map((one) => [one, 0])) as Record<(typeof statusClasses)[number], number>;
  let attempts = 0;
  for (const { outcome, statusClass, count } of counts) {
    attempts += count;
    byOutcome[outcome] = (byOutcome[outcome] ?? 0) + count;
    byStatusClass[statusClass] += count;
  }
  return { attempts, byOutcome, byStatusClass, p50Ms: durations?.p50Ms ?? null, p95Ms: durations?.p95Ms ?? null };
}
