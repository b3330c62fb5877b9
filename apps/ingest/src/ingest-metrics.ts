import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Accepted } from './accept-webhook.js';

export interface IngestMetrics {
  count(provider: string, accepted: Accepted, ms: number): void;
  observeBatch(rows: number, ms: number): void;
  ticketsLost(): void;
}

/** Labels are words from fixed lists: no tenant, app key or person ever becomes one. @param waiting rows that wait for a statement. */
export function ingestMetrics(registry: Registry, waiting: () => number): IngestMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'tributary_ingest_requests_total',
    help: 'Requests of providers by outcome; code says why one was refused.',
    labelNames: ['provider', 'outcome', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'tributary_ingest_request_seconds',
    help: 'From the whole body received to the answer.',
    labelNames: ['provider'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const batchRows = new Histogram({
    name: 'tributary_ingest_batch_rows',
    help: 'Deliveries that shared one statement.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
    registers,
  });
  const batchSeconds = new Histogram({
    name: 'tributary_ingest_batch_seconds',
    help: 'Duration of one statement, its commit included.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const unread = new Counter({
    name: 'tributary_ingest_unread_kinds_total',
    help: 'Kinds of data, by name, that deliveries told of beside what we read: one that rises may be a name that the provider changed.',
    labelNames: ['provider'],
    registers,
  });
  const lost = new Counter({
    name: 'tributary_ingest_ticket_rounds_lost_total',
    help: 'Rounds of tickets that the queue did not take; the due-scan issues them.',
    registers,
  });
  new Gauge({
    name: 'tributary_ingest_waiting',
    help: 'Deliveries that wait for a statement now.',
    registers,
    collect() {
      this.set(waiting());
    },
  });
  // A label set is looked up by text each time; the few that exist are kept.
  const children = new Map<string, Counter.Internal>();
  const timers = new Map<string, Histogram.Internal<'provider'>>();
  return {
    count(provider, { counted, code = '', unread: kinds }, ms) {
      const key = `${provider} ${counted} ${code}`;
      let child = children.get(key);
      if (child === undefined) children.set(key, (child = requests.labels(provider, counted, code)));
      child.inc();
      if (kinds !== undefined) unread.inc({ provider }, kinds);
      let timer = timers.get(provider);
      if (timer === undefined) timers.set(provider, (timer = seconds.labels(provider)));
      timer.observe(ms / 1000);
    },
    observeBatch(rows, ms) {
      batchRows.observe(rows);
      batchSeconds.observe(ms / 1000);
    },
    ticketsLost: () => lost.inc(),
  };
}
