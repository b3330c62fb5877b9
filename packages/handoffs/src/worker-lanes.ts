import { type Scope, parseScopeKey, scopeKey } from '@tributary/domain';

/** Ticket: this lane of this environment has windows whose time has come. */
export const fetchQueue = 'fetch';
export interface FetchLane extends Scope {
  readonly lane: number;
}
export function fetchTicket(lane: FetchLane): string {
  return `${scopeKey(lane)}#${lane.lane}`;
}
export function readFetchTicket(key: string): FetchLane {
  const hash = key.lastIndexOf('#');
  const lane = Number(key.slice(hash + 1));
  if (hash < 0 || !Number.isInteger(lane)) throw new Error(`Not a fetch ticket: ${key}`);
  return { ...parseScopeKey(key.slice(0, hash)), lane };
}
