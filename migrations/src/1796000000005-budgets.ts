// 1 what may still be called at providers
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Budgets1796000000005 implements MigrationInterface {
  name = 'Budgets1796000000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Token buckets of a provider app and of its connections; all processes take their calls here.
      create table rate_budget (
        tenant_id text not null,
        environment text not null,
        provider_app_id text not null,
        -- Empty: of the app as a whole.
        connection_id text not null default '',
        bucket text not null,
        capacity double precision not null check (capacity > 0),
        tokens double precision not null check (tokens >= 0),
        -- Calls that come back in a second; null where all come back at once, every window_ms.
        per_s double precision,
        window_ms double precision,
        resets_at timestamptz,
        -- As of when tokens is.
        as_of timestamptz not null,
        -- The provider said to stay away until then.
        paused_until timestamptz,
        reserved double precision not null default 0 check (reserved between 0 and 1),
        -- An answer told the limit, so the figures of the adapter count no more.
        learned boolean not null default false,
        primary key (tenant_id, environment, provider_app_id, connection_id, bucket),
        foreign key (tenant_id, environment, provider_app_id) references provider_app (tenant_id, environment, id) on delete cascade
      ) with (fillfactor = 50);
      create index rate_budget_by_connection on rate_budget (tenant_id, environment, connection_id) where connection_id <> '';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table rate_budget;`);
  }
}
