// 1 endpoints and their secrets · 2 events and deliveries · 3 attempts, in partitions (no foreign keys among 2 and 3: they are written in bulk)
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
        -- Attempts ever recorded: numbers them, and is not set back when a replay begins to count anew.
        attempts_total integer not null default 0,
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

      -- Attempts stand in partitions of one day (UTC), which go whole after thirty: see docs/decisions/0010-attempts-in-days.md.
      create schema attempt_parts;

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
        primary key (tenant_id, environment, event_id, endpoint_id, n, started_at)
      ) partition by range (started_at);
      create index delivery_attempt_by_endpoint on delivery_attempt (tenant_id, environment, endpoint_id, started_at);
      create index delivery_attempt_by_time on delivery_attempt (tenant_id, environment, started_at);
      -- The few that are looked for among the many that are not; a delivered one costs them nothing.
      create index delivery_attempt_failed on delivery_attempt (tenant_id, environment, endpoint_id, started_at) where outcome <> 'delivered';
      create index delivery_attempt_failed_by_time on delivery_attempt (tenant_id, environment, started_at) where outcome <> 'delivered';

      -- Makes the partitions of the day before \`at\`, of its day and of the three after, and drops those of days that ended thirty days
      -- before it. What found no partition stands in the default one, which is emptied when all in it is that old.
      create function keep_attempt_partitions(at timestamptz default clock_timestamp()) returns table (made integer, dropped integer)
      language plpgsql as $$
      declare
        today date := (at at time zone 'UTC')::date;
        kept_from date := (at at time zone 'UTC')::date - 30;
        name text;
        old record;
      begin
        made := 0; dropped := 0;
        -- One process at a time; who comes meanwhile has nothing to do.
        if not pg_try_advisory_xact_lock(1953653097, 2) then
          return next;
          return;
        end if;
        create schema if not exists attempt_parts;
        -- Rather later than making everybody who records wait behind us.
        perform set_config('lock_timeout', '1s', true);
        if to_regclass('attempt_parts.delivery_attempt_rest') is null then
          create table attempt_parts.delivery_attempt_rest partition of public.delivery_attempt default;
        end if;
        for ahead in -1 .. 3 loop
          name := 'delivery_attempt_' || to_char(today + ahead, 'YYYYMMDD');
          if to_regclass(format('attempt_parts.%I', name)) is null then
            begin
              execute format('create table attempt_parts.%I partition of public.delivery_attempt for values from (%L) to (%L)', name,
                (today + ahead)::timestamp at time zone 'UTC', (today + ahead + 1)::timestamp at time zone 'UTC');
              made := made + 1;
            exception when check_violation then
              null; -- Rows of this day are in the default partition, and may stay there.
            end;
          end if;
        end loop;
        for old in
          select relname from pg_class
          where relnamespace = 'attempt_parts'::regnamespace and relkind = 'r' and relname ~ '^delivery_attempt_[0-9]{8}$'
            and to_date(right(relname, 8), 'YYYYMMDD') < kept_from
          order by 1
        loop
          execute format('drop table attempt_parts.%I', old.relname);
          dropped := dropped + 1;
        end loop;
        if exists (select from attempt_parts.delivery_attempt_rest)
          and not exists (select from attempt_parts.delivery_attempt_rest where started_at >= kept_from::timestamp at time zone 'UTC')
        then
          truncate attempt_parts.delivery_attempt_rest;
          dropped := dropped + 1;
        end if;
        return next;
      end $$;
      select keep_attempt_partitions();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table delivery_attempt, event_delivery, event, endpoint_secret, endpoint;
      drop function keep_attempt_partitions;
      drop schema attempt_parts;
    `);
  }
}
