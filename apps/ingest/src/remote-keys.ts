import { type ProviderHttp, ProviderUnreachable, type RemoteKeys } from '@tributary/providers';
import type { Clock } from '@tributary/service-shell';

/** A key that is not in the set may be new; a forger can name one with each request, so the set is fetched anew this often at most. */
const RENEW_MS = 60_000;
/** Kept for so long before it is fetched again unasked, so that a key that was withdrawn ends. */
const KEEP_MS = 24 * 3_600_000;

interface Kept {
  readonly text: string;
  readonly fetchedAt: number;
}

/** Key sets by their address; one request at a time for each, whoever asks. */
export function keepRemoteKeys(http: ProviderHttp, clock: Clock): RemoteKeys {
  const kept = new Map<string, Kept>();
  const triedAt = new Map<string, number>();
  const flying = new Map<string, Promise<string>>();

  function fetchSet(url: string): Promise<string> {
    const already = flying.get(url);
    if (already !== undefined) return already;
    triedAt.set(url, clock());
    const flight = (async () => {
      const reply = await http.send({ method: 'GET', url, headers: { accept: 'application/json' } });
      if (reply.status !== 200) throw new ProviderUnreachable(`keys_http_${reply.status}`);
      const text = reply.body.toString('utf8');
      kept.set(url, { text, fetchedAt: clock() });
      return text;
    })().finally(() => flying.delete(url));
    flying.set(url, flight);
    return flight;
  }

  return {
    async current(url) {
      const held = kept.get(url);
      if (held === undefined) return fetchSet(url);
      const now = clock();
      // While the page is down, no delivery but one a minute waits for it.
      if (now - held.fetchedAt < KEEP_MS || now - (triedAt.get(url) ?? -Infinity) < RENEW_MS) return held.text;
      // An old set still proves; being without one would turn every delivery away while the provider's page is down.
      return fetchSet(url).catch(() => held.text);
    },
    async renewed(url) {
      if (clock() - (triedAt.get(url) ?? -Infinity) < RENEW_MS) return flying.get(url);
      return fetchSet(url);
    },
  };
}
