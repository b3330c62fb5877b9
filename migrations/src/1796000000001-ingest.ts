// 1 deliveries and notices · 2 windows · 3 dead letters
// No foreign keys here: each would lock a parent row for every row of a hot batch. The statements that write these tables lock the
// connection once instead (for key share), and erasure purges by its registry.
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Ingest1796000000001 implements MigrationInterface {
  name = 'Ingest1796000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Deliveries and notices stand in partitions of nine days, so that they can be dropped and need no deleting: see
      -- docs/decisions/0007-deliveries-in-periods.md. The dated tables are in a schema of their own.
      create schema webhook_parts;

      create function webhook_period(at timestamptz) returns integer language sql stable parallel safe
        return floor(date_part('epoch', at) / 777600)::integer;

      create table webhook_delivery (
        -- Digest of tenant, environment, app and delivery id; first in the key, since it alone decides nearly every comparison.
        delivery_key uuid not null,
        tenant_id text not null,
        environment text not null,
        provider_app_id text not null,
        delivery_id text not null,
        period integer not null default webhook_period(now()),
        -- Rows of webhook_notice that came of it and still stand.
        notices integer not null default 1,
        received_at timestamptz not null default now(),
        signed_at timestamptz,
        grade text not null check (grade in ('signed', 'signed-partial', 'shared-secret', 'path-secret')),
        secret_id text not null,
        body_hash bytea not null,
        -- The verified bytes, redacted; null where any subject was unknown.
        raw_body bytea,
        primary key (delivery_key, tenant_id, environment, period)
      ) partition by list (period);

      -- One row for each ordinal and connection of a delivery. No unique key says so: they are written together with their delivery, once.
      create table webhook_notice (
        tenant_id text not null,
        environment text not null,
        provider_app_id text not null,
        delivery_key uuid not null,
        ordinal integer not null,
        connection_id text not null,
        period integer not null default webhook_period(now()),
        -- Microseconds since the epoch, of the provider's clock.
        version bigint,
        received_at timestamptz not null default now(),
        -- Its delivery's key is made from a body that two real changes may share.
        reopenable boolean not null default false,
        status text not null default 'received' check (status in ('received', 'windowed', 'applied', 'dead')),
        kind text not null check (kind in ('changed', 'deleted')),
        collection text not null,
        window_kind text not null check (window_kind in ('object', 'days', 'instants', 'whole')),
        window_start text not null,
        window_end text not null,
        -- The data itself, where the provider cannot be asked for it and the body is signed or the operator accepts it unsigned.
        carried bytea
      ) partition by list (period);
      -- A notice that comes in is written into the first of these only.
      create index webhook_notice_waiting on webhook_notice (tenant_id, environment, received_at, delivery_key) where status = 'received';
      create index webhook_notice_filed on webhook_notice (connection_id, collection, window_start, tenant_id, environment)
        where status <> 'received';
      create index webhook_notice_reopenable on webhook_notice (delivery_key) where reopenable;

      -- Makes the partitions of this period and the next, and drops those from before the last one. A partition in which a notice
      -- still waits is kept. What found no partition stands in the default ones, which are emptied when all in them is that old.
      create function keep_webhook_partitions() returns table (made integer, dropped integer, kept_waiting integer) language plpgsql as $$
      declare
        current integer := webhook_period(clock_timestamp());
        of_table text;
        old record;
        waits boolean;
      begin
        made := 0; dropped := 0; kept_waiting := 0;
        -- One process at a time; who comes meanwhile has nothing to do.
        if not pg_try_advisory_xact_lock(1953653097, 1) then
          return next;
          return;
        end if;
        create schema if not exists webhook_parts;
        -- Rather later than making every delivery wait behind us.
        perform set_config('lock_timeout', '1s', true);
        foreach of_table in array array['webhook_delivery', 'webhook_notice'] loop
          if to_regclass(format('webhook_parts.%I', of_table || '_rest')) is null then
            execute format('create table webhook_parts.%I partition of public.%I default', of_table || '_rest', of_table);
          end if;
          for period in current .. current + 1 loop
            if to_regclass(format('webhook_parts.%I', of_table || '_' || period)) is null then
              begin
                execute format('create table webhook_parts.%I partition of public.%I for values in (%s)', of_table || '_' || period, of_table, period);
                made := made + 1;
              exception when check_violation then
                null; -- Rows of this period are in the default partition, and may stay there.
              end;
            end if;
          end loop;
        end loop;
        for old in
          select distinct substring(relname from '[0-9]+$')::integer as period from pg_class
          where relnamespace = 'webhook_parts'::regnamespace and relkind = 'r' and relname ~ '^webhook_(delivery|notice)_[0-9]+$'
            and substring(relname from '[0-9]+$')::integer < current - 1
          order by 1
        loop
          execute format('select exists (select 1 from public.webhook_notice where period = %s and status = ''received'')', old.period) into waits;
          if waits then
            kept_waiting := kept_waiting + 1;
          else
            execute format('drop table if exists webhook_parts.%I, webhook_parts.%I', 'webhook_notice_' || old.period, 'webhook_delivery_' || old.period);
            dropped := dropped + 1;
          end if;
        end loop;
        if exists (select 1 from webhook_parts.webhook_delivery_rest)
          and not exists (select 1 from webhook_parts.webhook_delivery_rest r where r.period >= current - 1)
          and not exists (select 1 from webhook_parts.webhook_notice_rest r where r.period >= current - 1 or r.status = 'received')
        then
          truncate webhook_parts.webhook_delivery_rest, webhook_parts.webhook_notice_rest;
          dropped := dropped + 1;
        end if;
        return next;
      end $$;
      select keep_webhook_partitions();

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
    await runner.query(`
      drop table dead_letter, fetch_window, webhook_notice, webhook_delivery;
      drop function keep_webhook_partitions;
      drop function webhook_period;
      drop schema webhook_parts;
    `);
  }
}
