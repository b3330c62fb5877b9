// 1 daily rollups · 2 sessions · 3 measurements · 4 series
// Indexes by document begin with the connection: before a table is first analysed, the planner takes any two indexes that begin alike for
// equal, and would find one row through all of its environment.
// No foreign keys: the applying transaction holds the connection (for key share), which an erasure must take first.
import type { MigrationInterface, QueryRunner } from 'typeorm';

const dated = `
        connection_id text not null,
        -- Of which it was read last: what a scope or a read of whole days is about.
        collection text,
        provider_record_id text not null,
        source jsonb not null,
        date_basis text not null,
        day_model text not null,
        utc_offset_s integer,
        -- The zone that the date rests on and the version of the zone data that it was asked of; the provider's label, where it is another.
        time_zone text,
        tzdb text,
        provider_date date,
        -- The instant that the date was computed from; null where a label decided.
        dated_at timestamptz,
        -- Part of the day that was measured, 0 to 1; null when the provider does not say.
        coverage double precision,
        provisional boolean not null,
        -- Microseconds since the epoch, strictly higher at every write: the provider's modified time; or (inferred) the start of our fetch, or
        -- one more than what was there, where the gate has reasons of its own.
        version bigint not null,
        inferred boolean not null,
        revision bigint not null,
        content_hash bytea not null,
        deleted boolean not null default false,
        delete_reason text,
        -- What the gate knows of the state (docs/glossary.md: freshness, clock domain, epoch, doubt). Times in milliseconds since the epoch.
        input_hash bytea,
        normalizer_version integer not null default 1,
        provider_version bigint,
        clock_domain text,
        version_epoch integer not null default 0,
        epoch_from bigint,
        epoch_to bigint,
        coverage_end bigint,
        fresh_from bigint not null default 0,
        fresh_to bigint not null default 0,
        via text not null default 'pull',
        complete boolean not null default true,
        ingested_at bigint not null default 0,
        unsettled boolean not null default false,
        doubt jsonb,
        -- Contents in a row that no version tells apart, each as hash@ms.
        trail text not null default '',
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()`;

export class Records1796000000002 implements MigrationInterface {
  name = 'Records1796000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table daily_rollup (
        tenant_id text not null,
        environment text not null,
        user_id text not null,
        provider text not null,
        metric text not null,
        local_date date not null,
        source_id text not null,
        value double precision not null,
        unit text not null,
        implausible boolean not null default false,
        ${dated},
        primary key (tenant_id, environment, user_id, provider, metric, local_date, source_id)
      ) with (fillfactor = 80);
      create index daily_rollup_by_document on daily_rollup (connection_id, provider_record_id, tenant_id, environment);

      create table session_record (
        tenant_id text not null,
        environment text not null,
        user_id text not null,
        provider text not null,
        kind text not null check (kind in ('sleep', 'workout')),
        source_id text not null,
        record_id text not null,
        local_date date not null,
        started_at timestamptz not null,
        ended_at timestamptz not null,
        end_utc_offset_s integer,
        detail jsonb not null,
        ${dated},
        primary key (tenant_id, environment, user_id, provider, kind, source_id, record_id)
      ) with (fillfactor = 80);
      create index session_record_by_date on session_record (tenant_id, environment, user_id, kind, local_date);
      create index session_record_by_document on session_record (connection_id, provider_record_id, tenant_id, environment);

      create table measurement_record (
        tenant_id text not null,
        environment text not null,
        user_id text not null,
        provider text not null,
        metric text not null,
        source_id text not null,
        record_id text not null,
        local_date date not null,
        measured_at timestamptz not null,
        -- One of both: a number, or the parts of a blood pressure.
        value double precision,
        parts jsonb,
        unit text not null,
        implausible boolean not null,
        manual boolean not null,
        ambiguous boolean not null,
        undated boolean not null,
        ${dated},
        primary key (tenant_id, environment, user_id, provider, metric, source_id, record_id),
        check ((value is null) <> (parts is null))
      ) with (fillfactor = 80);
      create index measurement_record_by_date on measurement_record (tenant_id, environment, user_id, local_date);
      create index measurement_record_by_document on measurement_record (connection_id, provider_record_id, tenant_id, environment);

      create table series_day (
        tenant_id text not null,
        environment text not null,
        user_id text not null,
        provider text not null,
        metric text not null,
        source_id text not null,
        -- The workout that the samples belong to, else their civil date.
        item text not null,
        workout_id text,
        local_date date not null,
        samples_from timestamptz not null,
        offsets_s integer[] not null,
        sample_values double precision[] not null,
        interval_s integer,
        unit text not null,
        implausible boolean not null,
        ${dated},
        primary key (tenant_id, environment, user_id, provider, metric, source_id, item),
        check (cardinality(offsets_s) = cardinality(sample_values))
      );
      create index series_day_by_date on series_day (tenant_id, environment, user_id, local_date);
      create index series_day_by_document on series_day (connection_id, provider_record_id, tenant_id, environment);

      -- Nothing but a doubt about a value asked for it: it goes once that is over.
      alter table fetch_window add column settles boolean not null default false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table fetch_window drop column settles; drop table series_day, measurement_record, session_record, daily_rollup;`,
    );
  }
}
