import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface ProviderAppChange {
  readonly toleranceMs: number | undefined;
  readonly acceptsCarried: boolean | undefined;
  /** Taken back into use: `active` if the provider has proved its address, else `pending`. */
  readonly disabled: boolean | undefined;
}

/** What is undefined stays. @returns whether the app is there. */
export async function updateProviderApp(
  sql: Sql,
  { tenantId, environment }: Scope,
  id: string,
  { toleranceMs, acceptsCarried, disabled }: ProviderAppChange,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'provider-apps/update-provider-app',
    text: `
      update provider_app set
        tolerance_ms = coalesce($4, tolerance_ms), accepts_carried = coalesce($5, accepts_carried),
        state = case when $6::boolean is null then state when $6 then 'disabled'
          when state <> 'disabled' then state when handshaken_at is null then 'pending' else 'active' end,
        updated_at = now()
      where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id, toleranceMs ?? null, acceptsCarried ?? null, disabled ?? null],
  });
  return rowCount === 1;
}
