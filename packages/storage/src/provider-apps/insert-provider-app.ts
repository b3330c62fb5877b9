import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { ShownProviderApp } from './find-provider-app.js';

export interface NewProviderApp extends Scope {
  readonly id: string;
  readonly provider: string;
  readonly appKey: string;
  readonly clientId: string;
  readonly sandbox: boolean;
  readonly toleranceMs: number;
  readonly acceptsCarried: boolean;
  readonly secrets: readonly { readonly id: string; readonly purpose: string; readonly sealed: Buffer }[];
}

/** An app with its first secrets. */
export async function insertProviderApp(sql: Sql, app: NewProviderApp): Promise<ShownProviderApp> {
  const { rows } = await sql.query<ShownProviderApp & Record<string, unknown>>({
    name: 'insert-provider-app',
    text: `
      with app as (
        insert into provider_app (tenant_id, environment, id, provider, app_key, client_id, sandbox, tolerance_ms, accepts_carried)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $12)
        returning *
      ), secrets as (
        insert into provider_app_secret (tenant_id, environment, provider_app_id, id, purpose, sealed)
        select app.tenant_id, app.environment, app.id, s.id, s.purpose, s.sealed
        from app, unnest($9::text[], $10::text[], $11::bytea[]) as s (id, purpose, sealed)
      )
      select id, provider, app_key as "appKey", client_id as "clientId", sandbox, state, tolerance_ms as "toleranceMs", accepts_carried as "acceptsCarried",
        handshaken_at as "handshakenAt", created_at as "createdAt", null::timestamptz as "nextCheckAt", null::timestamptz as "checkedAt",
        null::timestamptz as "keptAt", null::text as "lastError", null::timestamptz as "expiresAt"
      from app`,
    values: [
      app.tenantId,
      app.environment,
      app.id,
      app.provider,
      app.appKey,
      app.clientId,
      app.sandbox,
      app.toleranceMs,
      pgArray(
        'text',
        app.secrets.map((s) => s.id),
      ),
      pgArray(
        'text',
        app.secrets.map((s) => s.purpose),
      ),
      pgArray(
        'bytea',
        app.secrets.map((s) => s.sealed),
      ),
      app.acceptsCarried,
    ],
  });
  return rows[0] as ShownProviderApp;
}
