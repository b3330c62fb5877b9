import type { EnvironmentName } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** A provider app as ingest needs it, with every secret that is not retired yet and may prove something. */
export interface IngestApp {
  readonly tenantId: string;
  readonly environment: EnvironmentName;
  readonly id: string;
  readonly provider: string;
  readonly clientId: string;
  /** Talks to the sandbox of this installation instead of the provider. */
  readonly sandbox: boolean;
  readonly state: 'pending' | 'active' | 'disabled';
  readonly toleranceMs: number;
  /** The operator takes this provider's unsigned payloads. */
  readonly acceptsCarried: boolean;
  readonly secrets: readonly IngestSecret[];
}

export interface IngestSecret {
  readonly id: string;
  readonly purpose: 'client_secret' | 'webhook_secret' | 'verification_token';
  /** Opens in the context `provider_app_secret:<id>`. */
  readonly sealed: Buffer;
  /** Null: no end is set. Whoever keeps the row for a while compares it at each use. */
  readonly retiresAt: Date | null;
}

/** The app key in our URL is all that a provider tells us of the tenant; what it finds carries tenant and environment from there on. */
export async function findAppByKey(sql: Sql, appKey: string): Promise<IngestApp | undefined> {
  const { rows } = await sql.query<Row>({ name: 'ingest/find-app-by-key', text, values: [appKey] });
  const first = rows[0];
  if (first === undefined) return undefined;
  const { tenantId, environment, id, provider, clientId, sandbox, state, toleranceMs, acceptsCarried } = first;
  const secrets = rows.flatMap((row) =>
    row.secretId === null || row.purpose === null || row.sealed === null
      ? []
      : [{ id: row.secretId, purpose: row.purpose, sealed: row.sealed, retiresAt: row.retiresAt }],
  );
  return { tenantId, environment, id, provider, clientId, sandbox, state, toleranceMs, acceptsCarried, secrets };
}

interface Row extends Omit<IngestApp, 'secrets'>, Record<string, unknown> {
  readonly secretId: string | null;
  readonly purpose: IngestSecret['purpose'] | null;
  readonly sealed: Buffer | null;
  readonly retiresAt: Date | null;
}

const text = `
  select a.tenant_id as "tenantId", a.environment, a.id, a.provider, a.client_id as "clientId", a.sandbox, a.state,
    a.tolerance_ms as "toleranceMs", a.accepts_carried as "acceptsCarried", s.id as "secretId", s.purpose, s.sealed, s.retires_at as "retiresAt"
  from provider_app a
  left join provider_app_secret s on s.tenant_id = a.tenant_id and s.environment = a.environment and s.provider_app_id = a.id
    and (s.retires_at is null or s.retires_at > now()) and s.purpose <> 'service_account'
  where a.app_key = $1
  order by s.created_at desc, s.id desc`;
