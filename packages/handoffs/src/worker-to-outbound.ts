import { type Scope, parseScopeKey, scopeKey } from '@tributary/domain';

/** Ticket: this endpoint has deliveries whose time has come. */
export const deliverQueue = 'deliver';
export interface EndpointRef extends Scope {
  readonly endpointId: string;
}
export function deliverTicket(endpoint: EndpointRef): string {
  return `${scopeKey(endpoint)}#${endpoint.endpointId}`;
}
export function readDeliverTicket(key: string): EndpointRef {
  const hash = key.lastIndexOf('#');
  if (hash < 0 || hash === key.length - 1) throw new Error(`Not a deliver ticket: ${key}`);
  return { ...parseScopeKey(key.slice(0, hash)), endpointId: key.slice(hash + 1) };
}
