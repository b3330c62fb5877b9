import type { Sql } from '../sql.js';

export interface NewTenant {
  readonly id: string;
  readonly name: string;
  /** Undefined: the product's own. */
  readonly debounceMs: number | undefined;
  readonly maxWaitMs: number | undefined;
}

/** A tenant with both its environments and their revision counters. */
export async function insertTenant(sql: Sql, tenant: NewTenant): Promise<void> {
  await sql.query({
    name: 'insert-tenant',
    text: `
      with tenant as (
        insert into tenant (id, name) values ($1, $2)
      ), environments as (
        insert into environment (tenant_id, environment, debounce_ms, max_wait_ms)
        select $1, name, coalesce($3::int, 5000), coalesce($4::int, greatest(60000, coalesce($3::int, 0)))
        from unnest(array['live', 'test']) as name
      )
      insert into revision_counter (tenant_id, environment) select $1, name from unnest(array['live', 'test']) as name`,
    values: [tenant.id, tenant.name, tenant.debounceMs ?? null, tenant.maxWaitMs ?? null],
  });
}
