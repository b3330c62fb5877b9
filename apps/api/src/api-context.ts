import type { Provider, ProviderHttp } from '@tributary/providers';
import type { Clock, KeyRing, Logger } from '@tributary/service-shell';
import type { Database } from '@tributary/storage';

/** What the API stands on; made once in `main`, or by a test. */
export interface ApiContext {
  readonly pool: Database['pool'];
  readonly keys: KeyRing;
  readonly now: Clock;
  readonly log: Logger;
  /** The only way to providers. */
  readonly http: ProviderHttp;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly publicApiUrl: string;
  readonly publicIngestUrl: string;
  /** Where apps with `sandbox` find their provider; undefined: this installation has no sandbox. */
  readonly sandboxUrl: string | undefined;
}

export const API_CONTEXT = Symbol('api context');
