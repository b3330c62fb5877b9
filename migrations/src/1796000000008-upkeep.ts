// 1 the upkeep of subscriptions: when each provider app's webhooks are looked at next, and how that went · 2 keys of service accounts
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Upkeep1796000000008 implements MigrationInterface {
  name = 'Upkeep1796000000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A row from the first time that somebody asked for the subscriptions of an app, or that the provider proved its address.
      create table subscription_upkeep (
        tenant_id text not null,
        environment text not null,
        provider_app_id text not null,
        -- When it may be claimed: the next check, or the end of the lease of whoever checks now.
        next_check_at timestamptz not null,
        lease_token uuid,
        -- Failures in a row.
        attempts integer not null default 0,
        checked_at timestamptz,
        -- The last time that all was as it should be.
        kept_at timestamptz,
        last_error text,
        -- The first end of those that lapse by themselves; null: none does, or none was seen yet.
        expires_at timestamptz,
        -- A key that the provider shows once may have been shown to nobody: the next check has a new one made.
        key_lost boolean not null default false,
        primary key (tenant_id, environment, provider_app_id),
        foreign key (tenant_id, environment, provider_app_id) references provider_app (tenant_id, environment, id) on delete cascade
      );
      create index subscription_upkeep_due on subscription_upkeep (next_check_at);

      -- Google's subscribers are managed by a service account of the project and not by the OAuth client.
      alter table provider_app_secret drop constraint provider_app_secret_purpose_check,
        add constraint provider_app_secret_purpose_check
          check (purpose in ('client_secret', 'webhook_secret', 'verification_token', 'service_account'));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table subscription_upkeep;
      delete from provider_app_secret where purpose = 'service_account';
      alter table provider_app_secret drop constraint provider_app_secret_purpose_check,
        add constraint provider_app_secret_purpose_check check (purpose in ('client_secret', 'webhook_secret', 'verification_token'));
    `);
  }
}
