import type { Provider, ProviderHttp } from '@tributary/providers';
import type { Clock, KeyRing, Logger } from '@tributary/service-shell';
import type { Connections } from '@tributary/storage';
import type { RateLimits } from './rate-limits/rate-limits.js';

/** What the API stands on; made once in `main`, or by a test. */
export interface ApiContext {
  /** Sees the rows of who calls, whatever a statement asks for; only what runs as part of a request can use it. */
  readonly pool: Connections;
  readonly keys: KeyRing;
  readonly limits: RateLimits;
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
