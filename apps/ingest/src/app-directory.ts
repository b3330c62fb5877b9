import type { Scope } from '@tributary/domain';
import type { AppForVerification, LiveSecret } from '@tributary/providers';
import type { Clock } from '@tributary/service-shell';
import type { IngestApp } from '@tributary/storage';

/** A provider app with its secrets opened. */
export interface KnownApp extends Scope {
  readonly id: string;
  readonly provider: string;
  readonly state: IngestApp['state'];
  /** A secret could not be opened: a refusal may then be our fault and not the sender's. */
  readonly hasSealedSecret: boolean;
  /** The operator takes this provider's unsigned payloads. */
  readonly acceptsCarried: boolean;
  /** What is live at this moment; retirement is looked at on every use. @param now epoch milliseconds. */
  forVerification(now: number): AppForVerification;
}

export interface AppDirectoryParts {
  find(appKey: string): Promise<IngestApp | undefined>;
  /** Throws when the value cannot be opened. */
  open(sealed: Buffer, context: string): string;
  readonly clock: Clock;
  /** Where the sandbox of this installation answers. */
  readonly sandboxUrl: string | undefined;
  onSealedSecret(app: IngestApp, secretId: string, error: Error): void;
}

/** So soon does a rotated secret or a disabled app take effect. */
export const MAX_AGE_MS = 1_000;
/** A flood of made-up keys cannot fill the memory. */
const MAX_ENTRIES = 10_000;

interface Entry {
  readonly until: number;
  readonly app: Promise<KnownApp | undefined>;
}

/** Apps by key, held for a second, read once however many ask. A failed read is not held. */
export class AppDirectory {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly parts: AppDirectoryParts) {}

  find(appKey: string): Promise<KnownApp | undefined> {
    const now = this.parts.clock();
    const held = this.#entries.get(appKey);
    if (held !== undefined && now < held.until) return held.app;
    const app = this.#read(appKey);
    this.#entries.delete(appKey);
    this.#entries.set(appKey, { until: now + MAX_AGE_MS, app });
    app.catch(() => {
      if (this.#entries.get(appKey)?.app === app) this.#entries.delete(appKey);
    });
    // Oldest first, since a renewed entry moves to the end.
    if (this.#entries.size > MAX_ENTRIES) this.#entries.delete(this.#entries.keys().next().value as string);
    return app;
  }

  async #read(appKey: string): Promise<KnownApp | undefined> {
    const row = await this.parts.find(appKey);
    if (row === undefined) return undefined;
    const secrets: (LiveSecret & { until: number })[] = [];
    for (const { id, purpose, sealed, retiresAt } of row.secrets) {
      try {
        const value = this.parts.open(sealed, `provider_app_secret:${id}`);
        secrets.push({ id, purpose, value, until: retiresAt?.getTime() ?? Number.POSITIVE_INFINITY });
      } catch (error) {
        this.parts.onSealedSecret(row, id, error as Error);
      }
    }
    const { tenantId, environment, id, provider, clientId, sandbox, state, toleranceMs, acceptsCarried } = row;
    const { sandboxUrl } = this.parts;
    const keyOrigin = sandbox && sandboxUrl !== undefined ? { keyOrigin: `${sandboxUrl}/${provider}` } : {};
    const verification = { clientId, toleranceMs, acceptsCarried, ...keyOrigin };
    return {
      tenantId,
      environment,
      id,
      provider,
      state,
      acceptsCarried,
      hasSealedSecret: secrets.length < row.secrets.length,
      forVerification: (now) => ({ ...verification, secrets: secrets.filter((secret) => now < secret.until) }),
    };
  }
}
