import type { RawRequest } from '../raw-request.js';

/** The three headers of one message; undefined where one is missing or empty. */
export interface MessageHeaders {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
}

/** The names of the specification, and those of Svix, which is the same scheme. One set is taken whole; two are never mixed. */
export function messageHeaders({ headers }: RawRequest): MessageHeaders {
  const family = headers.get('webhook-signature') ? 'webhook' : 'svix';
  const header = (name: string) => headers.get(`${family}-${name}`) || undefined;
  return { id: header('id'), timestamp: header('timestamp'), signature: header('signature') };
}
