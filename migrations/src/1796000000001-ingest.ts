// 1 deliveries and notices · 2 windows · 3 dead letters
// No foreign keys here: each would lock a parent row for every row of a hot batch. The statements that write these tables lock the
// connection once instead (for key share), and erasure purges by its registry.
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Ingest1796000000001 implements MigrationInterface {
  name = 'Ingest1796000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table webhook_delivery (
        tenant_id text not null,
        environment text not null,
        provider_app_id text not null,
        delivery_id text not null,
        received_at timestamptz not null default now(),
        signed_at timestamptz,
        grade text not null check (grade in ('signed', 'signed-partial', 'shared-secret', 'path-secret')),
        secret_id text not null,
        body_hash bytea not null,
        -- The verified bytes, redacted; null where any subject was unknown.
        raw_body bytea,
        primary key (tenant_id, environment, provider_app_id, delivery_id)
      );
      create index webhook_delivery_by_age on webhook_delivery (received_at);

      create table webhook_notice (
        tenant_id text not null,
        environment text not null,
        provider_app_id text not null,
        delivery_id text not null,
        ordinal integer not null,
        connection_id text not null,
        collection text not null,
        kind text not null check (kind in ('changed', 'deleted')),
        window_kind text not null check (window_kind in ('object', 'days', 'instants', 'whole')),
        window_start text not null,
        window_end text not null,
        -- Microseconds since the epoch, of the provider's clock.
        version bigint,
        -- The data itself, where the provider cannot be asked for it and the body is signed or the operator accepts it unsigned.
        carried bytea,
        status text not null default 'received' check (status in ('received', 'windowed', 'applied', 'dead')),
        received_at timestamptz not null default now(),
        primary key (tenant_id, environment, provider_app_id, delivery_id, ordinal, connection_id)
      );
      create index webhook_notice_waiting on webhook_notice (tenant_id, environment, received_at) where status = 'received';
      create index webhook_notice_by_window on webhook_notice (tenant_id, environment, connection_id, collection, window_start)
        where status = 'windowed';
      create index webhook_notice_by_connection on webhook_notice (tenant_id, environment, connection_id);

      create table fetch_window (
        tenant_id text not null,
        environment text not null,
        connection_id text not null,
        collection text not null,
        window_kind text not null check (window_kind in ('object', 'days', 'instants', 'whole')),
        window_start text not null,
        window_end text not null,
        lane smallint not null default 0,
        -- 0 live, 1 first read and backfill, 2 sweep.
        priority smallint not null default 0,
        state text not null default 'waiting' check (state in ('waiting', 'fetching', 'settled', 'parked', 'dead')),
        -- The kind of the newest notice: whether a missing object is what we were told to expect.
        expects text not null default 'changed' check (expects in ('changed', 'deleted')),
        requested_version bigint,
        covered_version bigint,
        -- Start of the newest finished read, in microseconds: an older read of the same document by a wider window loses to it, even
        -- where the newer one left no row behind to compare with.
        read_version bigint,
        -- A notice came while a fetch was under way: run again when it ends.
        dirty boolean not null default false,
        notices integer not null default 0,
        fetches integer not null default 0,
        attempts integer not null default 0,
        -- Times in a row that the provider showed other than the newest notice said; believed after a few.
        contradictions smallint not null default 0,
        first_requested_at timestamptz not null default now(),
        -- When it may be claimed: end of the debounce, of a pause, or of the lease of whoever holds it.
        due_at timestamptz not null,
        lease_token uuid,
        last_error text,
        settled_at timestamptz,
        primary key (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end)
      ) with (fillfactor = 70);
      create index fetch_window_due on fetch_window (tenant_id, environment, lane, priority, due_at) where state in ('waiting', 'fetching');

      create table dead_letter (
        tenant_id text not null,
        environment text not null,
        id text not null,
        provider text not null,
        provider_app_id text not null,
        user_id text,
        connection_id text,
        -- Null window: a delivery that could not be read at all.
        collection text,
        window_kind text,
        window_start text,
        window_end text,
        bucket text not null check (bucket in ('transient', 'drift', 'unresolvable')),
        code text not null,
        -- Where the fault is: a path or a position, never a value from the body.
        detail text not null,
        body_hash bytea,
        body_bytes integer,
        opened_at timestamptz not null default now(),
        closed_at timestamptz,
        close_reason text,
        primary key (tenant_id, environment, id)
      );
      create unique index dead_letter_open on dead_letter
        (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end)
        where closed_at is null and connection_id is not null;
      create unique index dead_letter_open_body on dead_letter (tenant_id, environment, provider_app_id, body_hash)
        where closed_at is null and connection_id is null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table dead_letter, fetch_window, webhook_notice, webhook_delivery;`);
  }
}
