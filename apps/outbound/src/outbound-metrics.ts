import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface OutboundMetrics {
  readonly attempts: Counter<'outcome'>;
  readonly commitToFirstByte: Histogram;
  readonly inFlight: Gauge;
}

/** Labels are words from fixed lists: no tenant, endpoint or person ever becomes one. */
export function outboundMetrics(registry: Registry): OutboundMetrics {
  return {
    attempts: new Counter({
      name: 'tributary_outbound_attempts_total',
      help: 'Attempts by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    commitToFirstByte: new Histogram({
      name: 'tributary_outbound_commit_to_first_byte_seconds',
      help: "From the commit of a change to the first byte of its event's first attempt.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers: [registry],
    }),
    inFlight: new Gauge({
      name: 'tributary_outbound_in_flight',
      help: 'Requests to endpoints that have not ended yet.',
      registers: [registry],
    }),
  };
}
