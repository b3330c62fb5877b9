// 1 receipts of erasure · 2 tokens to revoke upstream, which outlive the connection
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Erasure1796000000004 implements MigrationInterface {
  name = 'Erasure1796000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table erasure (
        tenant_id text not null,
        environment text not null,
        id text not null,
        requested_at timestamptz not null,
        completed_at timestamptz,
        -- Rows purged in each table; names no person.
        counts jsonb not null default '{}',
        primary key (tenant_id, environment, id),
        foreign key (tenant_id, environment) references environment (tenant_id, environment)
      );

      create table upstream_revocation (
        tenant_id text not null,
        environment text not null,
        id text not null,
        provider_app_id text not null,
        -- Sealed both: all that is needed to end the grant. Some providers want to be told whose it is.
        access_token bytea not null,
        subject_id bytea not null,
        attempts integer not null default 0,
        due_at timestamptz not null default now(),
        created_at timestamptz not null default now(),
        primary key (tenant_id, environment, id),
        foreign key (tenant_id, environment, provider_app_id) references provider_app (tenant_id, environment, id)
      );
      create index upstream_revocation_due on upstream_revocation (due_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table upstream_revocation, erasure;`);
  }
}
