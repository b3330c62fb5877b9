// 1 tenants, environments, API keys, audit · 2 provider apps, users, connections · 3 connect sessions, tombstones
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Tenancy1796000000000 implements MigrationInterface {
  name = 'Tenancy1796000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table tenant (
        id text primary key,
        name text not null,
        created_at timestamptz not null default now()
      );

      create table environment (
        tenant_id text not null references tenant (id),
        environment text not null check (environment in ('live', 'test')),
        debounce_ms integer not null default 5000 check (debounce_ms >= 0),
        max_wait_ms integer not null default 60000 check (max_wait_ms >= debounce_ms),
        fetch_lanes smallint not null default 1 check (fetch_lanes between 1 and 64),
        sweep_interval_s integer not null default 21600 check (sweep_interval_s >= 60),
        sweep_days smallint not null default 3 check (sweep_days between 1 and 30),
        created_at timestamptz not null default now(),
        primary key (tenant_id, environment)
      );

      -- One row an environment, locked from the draw to the commit: revisions become visible in the order of their numbers.
      create table revision_counter (
        tenant_id text not null,
        environment text not null,
        last_revision bigint not null default 0,
        primary key (tenant_id, environment),
        foreign key (tenant_id, environment) references environment (tenant_id, environment)
      ) with (fillfactor = 50);

      create table api_key (
        tenant_id text not null,
        environment text not null,
        id text not null,
        name text not null,
        prefix text not null,
        hash bytea not null unique,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        primary key (tenant_id, environment, id),
        foreign key (tenant_id, environment) references environment (tenant_id, environment)
      );

      create table audit_log (
        tenant_id text not null,
        environment text not null,
        id text not null,
        at timestamptz not null default now(),
        actor text not null,
        action text not null,
        target text,
        request_id text,
        primary key (tenant_id, environment, id)
      );

      create table provider_app (
        tenant_id text not null,
        environment text not null,
        id text not null,
        provider text not null,
        app_key text not null unique,
        client_id text not null,
        sandbox boolean not null default false check (not sandbox or environment = 'test'),
        state text not null default 'pending' check (state in ('pending', 'active', 'disabled')),
        tolerance_ms integer not null default 300000 check (tolerance_ms >= 0),
        -- The operator takes this provider's unsigned payloads (Garmin's push), since it cannot be asked for them.
        accepts_carried boolean not null default false,
        handshaken_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, environment, id),
        foreign key (tenant_id, environment) references environment (tenant_id, environment)
      );

      create table provider_app_secret (
        tenant_id text not null,
        environment text not null,
        provider_app_id text not null,
        id text not null,
        purpose text not null check (purpose in ('client_secret', 'webhook_secret', 'verification_token')),
        sealed bytea not null,
        created_at timestamptz not null default now(),
        retires_at timestamptz,
        primary key (tenant_id, environment, provider_app_id, id),
        foreign key (tenant_id, environment, provider_app_id) references provider_app (tenant_id, environment, id) on delete cascade
      );

      create table app_user (
        tenant_id text not null,
        environment text not null,
        id text not null,
        external_id text not null,
        fallback_zone text,
        created_at timestamptz not null default now(),
        primary key (tenant_id, environment, id),
        unique (tenant_id, environment, external_id),
        foreign key (tenant_id, environment) references environment (tenant_id, environment)
      );

      create table connection (
        tenant_id text not null,
        environment text not null,
        id text not null,
        user_id text not null,
        provider text not null,
        provider_app_id text not null,
        subject_id text not null,
        status text not null default 'active' check (status in ('active', 'reauth_required', 'revoked', 'disconnected')),
        access_token bytea,
        refresh_token bytea,
        token_expires_at timestamptz,
        scopes text[] not null default '{}',
        next_sweep_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, environment, id),
        unique (tenant_id, environment, user_id, provider),
        foreign key (tenant_id, environment, user_id) references app_user (tenant_id, environment, id),
        foreign key (tenant_id, environment, provider_app_id) references provider_app (tenant_id, environment, id)
      );
      -- The subject first: it alone decides nearly every comparison, and each delivery comes by here.
      create index connection_by_subject on connection (subject_id, provider_app_id, tenant_id, environment);
      create index connection_sweep_due on connection (next_sweep_at) where status = 'active';

      -- One consent in progress. The state is single-use: only its hash is kept, and used_at is set by the statement that takes it.
      create table connect_session (
        tenant_id text not null,
        environment text not null,
        id text not null,
        user_id text not null,
        provider_app_id text not null,
        state_hash bytea not null unique,
        redirect_uri text not null,
        return_url text,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        used_at timestamptz,
        primary key (tenant_id, environment, id),
        foreign key (tenant_id, environment, user_id) references app_user (tenant_id, environment, id),
        foreign key (tenant_id, environment, provider_app_id) references provider_app (tenant_id, environment, id)
      );

      -- The positive mark of an erased person: a keyed hash, so that it tells nothing to who does not hold the key.
      create table subject_tombstone (
        tenant_id text not null,
        environment text not null,
        provider_app_id text not null,
        subject_hash bytea not null,
        erased_at timestamptz not null default now(),
        primary key (subject_hash, tenant_id, environment, provider_app_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table subject_tombstone, connect_session, connection, app_user, provider_app_secret, provider_app, audit_log, api_key,
        revision_counter, environment, tenant;
    `);
  }
}
