import { Registry, collectDefaultMetrics } from 'prom-client';

/** One registry a process; `service` is on every sample. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}
