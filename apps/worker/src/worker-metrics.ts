import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface WorkerMetrics {
  readonly notices: Counter<'result'>;
  readonly fetches: Counter<'provider' | 'outcome'>;
  readonly records: Counter<'verdict'>;
  readonly deadLetters: Counter<'provider' | 'bucket'>;
  readonly refreshes: Counter<'outcome'>;
  readonly calls: Counter<'provider' | 'class'>;
  readonly callRefusals: Counter<'provider' | 'scope' | 'class' | 'by'>;
  readonly subscriptionChecks: Counter<'provider' | 'outcome'>;
  readonly leftovers: Counter<'provider'>;
  readonly leftoversEnded: Counter<'provider'>;
  readonly resolved: Counter<'change'>;
  /** Notices filed ÷ reads, of this process since it started: eleven pings that become one read are 11. */
  readonly collapse: Gauge;
  readonly ticketLatency: Histogram<'queue'>;
}

/** Labels are words from fixed lists: no tenant or person ever becomes one. */
export function workerMetrics(registry: Registry): WorkerMetrics {
  const registers = [registry];
  const notices = new Counter({
    name: 'tributary_worker_notices_total',
    help: 'Notices filed: taken, or covered by a finished read.',
    labelNames: ['result'],
    registers,
  });
  const fetches = new Counter({
    name: 'tributary_worker_fetches_total',
    help: 'Reads at providers by outcome.',
    labelNames: ['provider', 'outcome'],
    registers,
  });
  return {
    notices,
    fetches,
    collapse: new Gauge({
      name: 'tributary_worker_collapse_ratio',
      help: 'Notices filed for each read, of this process since it started. Over all processes: the sums of both counters.',
      registers,
      async collect() {
        const reads = sumOf(await fetches.get());
        this.set(reads === 0 ? 0 : sumOf(await notices.get()) / reads);
      },
    }),
    resolved: new Counter({
      name: 'tributary_worker_resolved_total',
      help: 'Rows of the resolved view that show something else now.',
      labelNames: ['change'],
      registers,
    }),
    records: new Counter({
      name: 'tributary_worker_records_total',
      help: 'Records seen, by what the version gate said; and rows that went, moved, were hidden or shown again without being seen.',
      labelNames: ['verdict'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'tributary_worker_dead_letters_total',
      help: 'Windows that could not be refreshed, or not wholly: somebody looks at a wrong day.',
      labelNames: ['provider', 'bucket'],
      registers,
    }),
    refreshes: new Counter({
      name: 'tributary_worker_token_refreshes_total',
      help: 'Refreshes of access tokens by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    subscriptionChecks: new Counter({
      name: 'tributary_subscription_checks_total',
      help: 'Looks at the subscriptions of provider apps and persons: kept; mended, since some had lapsed or were missing; or failed.',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    calls: new Counter({
      name: 'tributary_worker_provider_calls_total',
      help: 'Calls to providers by what they were for: live reads, backfill or sweep.',
      labelNames: ['provider', 'class'],
      registers,
    }),
    callRefusals: new Counter({
      name: 'tributary_worker_provider_call_refusals_total',
      help: 'Calls that were not made for want of budget, or that a provider refused for their rate; of the app or of one person.',
      labelNames: ['provider', 'scope', 'class', 'by'],
      registers,
    }),
    leftovers: new Counter({
      name: 'tributary_leftover_subscriptions_total',
      help: 'Times that an app was looked at since its provider sent something of a person whom we do not hold.',
      labelNames: ['provider'],
      registers,
    }),
    leftoversEnded: new Counter({
      name: 'tributary_leftover_subscriptions_ended_total',
      help: 'Subscriptions of such people that were ended at the provider.',
      labelNames: ['provider'],
      registers,
    }),
    ticketLatency: new Histogram({
      name: 'tributary_worker_ticket_latency_seconds',
      help: 'From the issue of a ticket to the start of its work.',
      labelNames: ['queue'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
  };
}

function sumOf({ values }: { readonly values: readonly { readonly value: number }[] }): number {
  return values.reduce((sum, { value }) => sum + value, 0);
}
