import { type ProviderReply, ProviderUnreachable } from './provider.js';

/** @param what for the code, e.g. `create`. @throws ProviderUnreachable `subscription_<what>_http_<status>` */
export function demandSuccess({ status }: ProviderReply, what: string): void {
  if (status < 200 || status > 299) throw new ProviderUnreachable(`subscription_${what}_http_${status}`);
}

/** The rows of a list of subscriptions. @throws ProviderUnreachable */
export function listedRows(reply: ProviderReply): readonly Record<string, unknown>[] {
  demandSuccess(reply, 'list');
  let rows: unknown;
  try {
    rows = JSON.parse(reply.body.toString('utf8'));
  } catch {
    throw new ProviderUnreachable('subscription_list_malformed');
  }
  if (!Array.isArray(rows)) throw new ProviderUnreachable('subscription_list_malformed');
  return rows as Record<string, unknown>[];
}
