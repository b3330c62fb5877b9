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

/** Whether an address that a provider holds is this app's: its path has a key that only we make up; the host may have moved. */
export function leadsToApp(held: string, callbackUrl: string): boolean {
  return URL.canParse(held) && new URL(held).pathname === new URL(callbackUrl).pathname;
}

/** What leads elsewhere is taken when somebody asked for it, and left alone otherwise. @throws ProviderUnreachable */
export function demandOurs(held: string, callbackUrl: string, onlyMend: boolean | undefined): void {
  if (onlyMend === true && !leadsToApp(held, callbackUrl)) throw new ProviderUnreachable('subscription_elsewhere');
}
