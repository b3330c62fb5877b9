// 1 backfills and their parts · 2 what was swept when · 3 dead letters that are replayed
// No foreign keys, as for windows: whoever writes here holds the connection (for key share), and erasure purges by its registry.
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Backfills1796000000007 implements MigrationInterface {
  name = 'Backfills1796000000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Days before today that a first consent reads by itself; 0: only those that a sweep reads.
      alter table environment add column backfill_days smallint not null default 90 check (backfill_days between 0 and 3650);

      create table backfill (
        tenant_id text not null,
        environment text not null,
        id text not null,
        user_id text not null,
        connection_id text not null,
        provider text not null,
        -- Whether a consent or a call of the API began it.
        cause text not null check (cause in ('consent', 'request')),
        state text not null default 'running' check (state in ('running', 'completed', 'incomplete', 'cancelled')),
        -- What was asked for; a part may begin later, where the provider's history does.
        from_date date not null,
        to_date date not null,
        -- When somebody looks whether it has ended or lost a window; null once it has ended.
        check_at timestamptz default now(),
        created_at timestamptz not null default now(),
        ended_at timestamptz,
        primary key (tenant_id, environment, id)
      );
      create unique index backfill_running on backfill (tenant_id, environment, connection_id) where state = 'running';
      create index backfill_by_connection on backfill (tenant_id, environment, connection_id, id);
      create index backfill_check_due on backfill (check_at) where check_at is not null;

      -- One collection of a backfill. Read from its newest day backwards, one window at a time.
      create table backfill_part (
        tenant_id text not null,
        environment text not null,
        backfill_id text not null,
        connection_id text not null,
        collection text not null,
        state text not null default 'running' check (state in ('running', 'done', 'not_permitted', 'failed', 'cancelled')),
        from_date date not null,
        to_date date not null,
        -- The mark: all from here to to_date was read, or given up and counted as such. Moves with the commit of what was read.
        reached date not null,
        -- Most days of one window; days that the provider shows at all.
        span_days smallint not null,
        horizon_days smallint,
        -- The window that is open now.
        open_from date,
        open_to date,
        windows_done integer not null default 0,
        windows_failed integer not null default 0,
        days_failed integer not null default 0,
        failures_in_row smallint not null default 0,
        records bigint not null default 0,
        primary key (tenant_id, environment, backfill_id, collection)
      );

      -- The backfill that waits for this window.
      alter table fetch_window add column backfill_id text;

      create table collection_sweep (
        tenant_id text not null,
        environment text not null,
        connection_id text not null,
        collection text not null,
        last_swept_at timestamptz not null,
        primary key (tenant_id, environment, connection_id, collection)
      ) with (fillfactor = 80);

      alter table dead_letter
        -- Times that somebody asked for another read of the window, and the last of them.
        add column replays integer not null default 0,
        add column replayed_at timestamptz,
        -- Of the adapter that did not understand the answer: a newer one may.
        add column normalizer_version integer;
      create index dead_letter_open_by_bucket on dead_letter (tenant_id, environment, bucket, id) where closed_at is null;
      create index dead_letter_open_drift on dead_letter (provider, normalizer_version)
        where closed_at is null and bucket = 'drift' and connection_id is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index dead_letter_open_drift, dead_letter_open_by_bucket;
      alter table dead_letter drop column replays, drop column replayed_at, drop column normalizer_version;
      drop table collection_sweep;
      alter table fetch_window drop column backfill_id;
      drop table backfill_part, backfill;
      alter table environment drop column backfill_days;
    `);
  }
}
