import { type FetchContext, ProviderUnreachable } from '@tributary/providers';
import { createProviderHttp } from '@tributary/service-shell';
import { type ProviderServer, startProviders } from './provider-server.js';
import { type Decide, type Receiver, startReceiver } from './receiver-server.js';

/** A stand-in, an adapter's way to it, and a place where its webhooks arrive. */
export interface Agreement extends Pick<FetchContext, 'http' | 'origins'> {
  readonly server: ProviderServer;
  /** A control call of this provider's stand-in. Throws when it is refused. */
  readonly control: ProviderServer['control'];
  readonly ingest: Receiver;
  stop(): Promise<void>;
}

/** The client is the one that adapters get in production. @param decide what the place of arrival answers; 200 unless said. */
export async function openAgreement(provider: string, decide: Decide = () => undefined): Promise<Agreement> {
  const server = await startProviders();
  const ingest = await startReceiver({ decide });
  const base = `${server.url}/${provider}`;
  const http = createProviderHttp({
    allowedOrigins: new Set([server.url]),
    deadlineMs: 2_000,
    maxReplyBytes: 1_000_000,
    unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
  });
  return {
    server,
    control: server.controlOf(provider),
    ingest,
    http,
    origins: { api: base, authorize: base, token: base },
    async stop() {
      await http.close();
      await ingest.stop();
      await server.stop();
    },
  };
}
