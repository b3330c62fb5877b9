// 1 endpoints and their secrets · 2 events, deliveries, attempts (no foreign keys between these: they are written in bulk)
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Outbound1796000000003 implements MigrationInterface {
  name = 'Outbound1796000000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table endpoint (
        tenant_id text not null,
        environment text not null,
        id text not null,
        url text not null,
        description text,
        -- Null: every type.
        event_types text[],
        status text not null default 'enabled' check (status in ('enabled', 'disabled')),
        disabled_reason text,
        -- Seconds before each attempt; null: the product's schedule.
        schedule_s integer[],
        last_success_at timestamptz,
        failing_since timestamptz,
        consecutive_failures integer not null default 0,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, environment, id),
        foreign key (tenant_id, environment) references environment (tenant_id, environment)
      );

      create table endpoint_secret (
        tenant_id text not null,
        environment text not null,
        endpoint_id text not null,
        id text not null,
        sealed bytea not null,
        -- Of the Ed25519 key that is sealed beside the secret, whpk_ and base64. Null: there is none, and v1 alone signs.
        public_key text,
        created_at timestamptz not null default now(),
        retires_at timestamptz,
        primary key (tenant_id, environment, endpoint_id, id),
        foreign key (tenant_id, environment, endpoint_id) references endpoint (tenant_id, environment, id) on delete cascade
      );

      create table event (
        tenant_id text not null,
        environment text not null,
        id text not null,
        type text not null,
        revision bigint not null,
        occurred_at timestamptz not null,
        -- Whose it is; null for events about no person.
        user_id text,
        -- The exact bytes of data, for every attempt, retry and replay. Null once scrubbed.
        data bytea,
        primary key (tenant_id, environment, id)
      );
      create unique index event_by_revision on event (tenant_id, environment, revision);
      create index event_by_user on event (tenant_id, environment, user_id) where user_id is not null;

      create table event_delivery (
        tenant_id text not null,
        environment text not null,
        event_id text not null,
        endpoint_id text not null,
        state text not null default 'pending' check (state in ('pending', 'sending', 'delivered', 'failed', 'cancelled')),
        attempts integer not null default 0,
        -- When it may be claimed: the schedule, a pause asked for, or the end of the lease of whoever holds it.
        next_attempt_at timestamptz not null,
        lease_token uuid,
        created_at timestamptz not null default now(),
        ended_at timestamptz,
        primary key (tenant_id, environment, event_id, endpoint_id)
      ) with (fillfactor = 70);
      -- First attempts and retries stand apart, so that a pile of retries never hides what is new. Not (attempts > 0): the planner turns its
      -- negation into attempts <= 0, which no longer matches.
      create index event_delivery_due on event_delivery (tenant_id, environment, endpoint_id, least(attempts, 1), next_attempt_at)
        where state in ('pending', 'sending');

      create table delivery_attempt (
        tenant_id text not null,
        environment text not null,
        event_id text not null,
        endpoint_id text not null,
        n integer not null,
        started_at timestamptz not null,
        duration_ms integer not null,
        outcome text not null,
        status_code integer,
        response_headers jsonb,
        response_body bytea,
        primary key (tenant_id, environment, event_id, endpoint_id, n)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table delivery_attempt, event_delivery, event, endpoint_secret, endpoint;`);
  }
}
