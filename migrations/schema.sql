-- The schema that the migrations lead to, written from the catalogs by "npm run schema:write" and compared by "npm run schema:check".
-- For reading and for reviewing changes; the migrations are what runs. The queue keeps its own tables in schema bullmq.

-- functions

CREATE OR REPLACE FUNCTION public.keep_attempt_partitions(at timestamp with time zone DEFAULT clock_timestamp())
 RETURNS TABLE(made integer, dropped integer)
 LANGUAGE plpgsql
AS $function$
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
      end $function$
;
CREATE OR REPLACE FUNCTION public.keep_webhook_partitions()
 RETURNS TABLE(made integer, dropped integer, kept_waiting integer)
 LANGUAGE plpgsql
AS $function$
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
      end $function$
;
CREATE OR REPLACE FUNCTION public.webhook_period(at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (floor((date_part('epoch'::text, at) / (777600)::double precision)))::integer
;

-- tables

create table api_key (
  tenant_id text not null,
  environment text not null,
  id text not null,
  name text not null,
  prefix text not null,
  hash bytea not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  scopes text[] default '{*}'::text[] not null,
  constraint api_key_pkey PRIMARY KEY (tenant_id, environment, id),
  constraint api_key_hash_key UNIQUE (hash),
  constraint api_key_scopes_check CHECK ((cardinality(scopes) > 0))
);
alter table api_key enable row level security;

create table app_user (
  tenant_id text not null,
  environment text not null,
  id text not null,
  external_id text not null,
  fallback_zone text,
  created_at timestamp with time zone default now() not null,
  constraint app_user_pkey PRIMARY KEY (tenant_id, environment, id),
  constraint app_user_tenant_id_environment_external_id_key UNIQUE (tenant_id, environment, external_id)
);
alter table app_user enable row level security;

create table audit_log (
  tenant_id text not null,
  environment text not null,
  id text not null,
  at timestamp with time zone default now() not null,
  actor text not null,
  action text not null,
  target text,
  request_id text,
  constraint audit_log_pkey PRIMARY KEY (tenant_id, environment, id)
);
alter table audit_log enable row level security;

create table backfill (
  tenant_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  connection_id text not null,
  provider text not null,
  cause text not null,
  state text default 'running'::text not null,
  from_date date not null,
  to_date date not null,
  check_at timestamp with time zone default now(),
  created_at timestamp with time zone default now() not null,
  ended_at timestamp with time zone,
  constraint backfill_pkey PRIMARY KEY (tenant_id, environment, id),
  constraint backfill_cause_check CHECK ((cause = ANY (ARRAY['consent'::text, 'request'::text]))),
  constraint backfill_state_check CHECK ((state = ANY (ARRAY['running'::text, 'completed'::text, 'incomplete'::text, 'cancelled'::text])))
);
alter table backfill enable row level security;

create table backfill_part (
  tenant_id text not null,
  environment text not null,
  backfill_id text not null,
  connection_id text not null,
  collection text not null,
  state text default 'running'::text not null,
  from_date date not null,
  to_date date not null,
  reached date not null,
  span_days smallint not null,
  horizon_days smallint,
  open_from date,
  open_to date,
  windows_done integer default 0 not null,
  windows_failed integer default 0 not null,
  days_failed integer default 0 not null,
  failures_in_row smallint default 0 not null,
  records bigint default 0 not null,
  constraint backfill_part_pkey PRIMARY KEY (tenant_id, environment, backfill_id, collection),
  constraint backfill_part_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'not_permitted'::text, 'failed'::text, 'cancelled'::text])))
);
alter table backfill_part enable row level security;

create table collection_sweep (
  tenant_id text not null,
  environment text not null,
  connection_id text not null,
  collection text not null,
  last_swept_at timestamp with time zone not null,
  constraint collection_sweep_pkey PRIMARY KEY (tenant_id, environment, connection_id, collection)
) with (fillfactor=80);
alter table collection_sweep enable row level security;

create table connect_link (
  tenant_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  providers text[],
  return_url text,
  language text not null,
  browser_hash bytea,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint connect_link_pkey PRIMARY KEY (tenant_id, environment, id)
);
alter table connect_link enable row level security;

create table connect_session (
  tenant_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  provider_app_id text not null,
  state_hash bytea not null,
  redirect_uri text not null,
  return_url text,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  link_id text,
  browser_hash bytea,
  end_is text,
  end_code text,
  connection_id text,
  ended_at timestamp with time zone,
  constraint connect_session_pkey PRIMARY KEY (tenant_id, environment, id),
  constraint connect_session_state_hash_key UNIQUE (state_hash),
  constraint connect_session_end_is_check CHECK ((end_is = ANY (ARRAY['connected'::text, 'denied'::text, 'failed'::text])))
);
alter table connect_session enable row level security;

create table connection (
  tenant_id text not null,
  environment text not null,
  id text not null,
  user_id text not null,
  provider text not null,
  provider_app_id text not null,
  subject_id text not null,
  status text default 'active'::text not null,
  access_token bytea,
  refresh_token bytea,
  token_expires_at timestamp with time zone,
  scopes text[] default '{}'::text[] not null,
  next_sweep_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  redate_due boolean default false not null,
  permissions_due boolean default false not null,
  refreshed_at timestamp with time zone,
  constraint connection_pkey PRIMARY KEY (tenant_id, environment, id),
  constraint connection_tenant_id_environment_user_id_provider_key UNIQUE (tenant_id, environment, user_id, provider),
  constraint connection_status_check CHECK ((status = ANY (ARRAY['active'::text, 'reauth_required'::text, 'revoked'::text, 'disconnected'::text])))
);
alter table connection enable row level security;

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
  implausible boolean default false not null,
  connection_id text not null,
  collection text,
  provider_record_id text not null,
  source jsonb not null,
  date_basis text not null,
  day_model text not null,
  utc_offset_s integer,
  time_zone text,
  tzdb text,
  provider_date date,
  dated_at timestamp with time zone,
  coverage double precision,
  provisional boolean not null,
  version bigint not null,
  inferred boolean not null,
  revision bigint not null,
  content_hash bytea not null,
  deleted boolean default false not null,
  delete_reason text,
  input_hash bytea,
  normalizer_version integer default 1 not null,
  provider_version bigint,
  clock_domain text,
  version_epoch integer default 0 not null,
  epoch_from bigint,
  epoch_to bigint,
  coverage_end bigint,
  fresh_from bigint default 0 not null,
  fresh_to bigint default 0 not null,
  via text default 'pull'::text not null,
  complete boolean default true not null,
  ingested_at bigint default 0 not null,
  unsettled boolean default false not null,
  doubt jsonb,
  trail text default ''::text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint daily_rollup_pkey PRIMARY KEY (tenant_id, environment, user_id, provider, metric, local_date, source_id)
) with (fillfactor=80);
alter table daily_rollup enable row level security;

create table dead_letter (
  tenant_id text not null,
  environment text not null,
  id text not null,
  provider text not null,
  provider_app_id text not null,
  user_id text,
  connection_id text,
  collection text,
  window_kind text,
  window_start text,
  window_end text,
  bucket text not null,
  code text not null,
  detail text not null,
  body_hash bytea,
  body_bytes integer,
  opened_at timestamp with time zone default now() not null,
  closed_at timestamp with time zone,
  close_reason text,
  replays integer default 0 not null,
  replayed_at timestamp with time zone,
  normalizer_version integer,
  constraint dead_letter_pkey PRIMARY KEY (tenant_id, environment, id),
  constraint dead_letter_bucket_check CHECK ((bucket = ANY (ARRAY['transient'::text, 'drift'::text, 'unresolvable'::text])))
);
alter table dead_letter enable row level security;

create table delivery_attempt (
  tenant_id text not null,
  environment text not null,
  event_id text not null,
  endpoint_id text not null,
  n integer not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  outcome text not null,
  status_code integer,
  response_headers jsonb,
  response_body bytea,
  constraint delivery_attempt_pkey PRIMARY KEY (tenant_id, environment, event_id, endpoint_id, n, started_at)
) partition by RANGE (started_at);
alter table delivery_attempt enable row level security;

create table endpoint (
  tenant_id text not null,
  environment text not null,
  id text not null,
  url text not null,
  description text,
  event_types text[],
  status text default 'enabled'::text not null,
  disabled_reason text,
  schedule_s integer[],
  last_success_at timestamp with time zone,
  failing_since timestamp with time zone,
  consecutive_failures integer default 0 not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  ordering text default 'none'::text not null,
  rate_per_second real,
  warned_at timestamp with time zone,
  providers text[],
  metrics text[],
  user_ids text[],
  payload text default 'full'::text not null,
  source_view text default 'source'::text not null,
  constraint endpoint_pkey PRIMARY KEY (tenant_id, environment, id),
  constraint endpoint_ordering_check CHECK ((ordering = ANY (ARRAY['none'::text, 'user'::text]))),
  constraint endpoint_payload_check CHECK ((payload = ANY (ARRAY['full'::text, 'thin'::text]))),
  constraint endpoint_rate_per_second_check CHECK (((rate_per_second > (0)::double precision) AND (rate_per_second <= (10000)::double precision))),
  constraint endpoint_source_view_check CHECK ((source_view = ANY (ARRAY['source'::text, 'resolved'::text, 'both'::text]))),
  constraint endpoint_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text])))
);
alter table endpoint enable row level security;

create table endpoint_pace (
  tenant_id text not null,
  environment text not null,
  endpoint_id text not null,
  concurrency real not null,
  failures integer default 0 not null,
  rests integer default 0 not null,
  rests_until timestamp with time zone,
  rate_taken_until timestamp with time zone,
  constraint endpoint_pace_pkey PRIMARY KEY (tenant_id, environment, endpoint_id)
) with (fillfactor=70);
alter table endpoint_pace enable row level security;

create table endpoint_secret (
  tenant_id text not null,
  environment text not null,
  endpoint_id text not null,
  id text not null,
  sealed bytea not null,
  public_key text,
  created_at timestamp with time zone default now() not null,
  retires_at timestamp with time zone,
  constraint endpoint_secret_pkey PRIMARY KEY (tenant_id, environment, endpoint_id, id)
);
alter table endpoint_secret enable row level security;

create table environment (
  tenant_id text not null,
  environment text not null,
  debounce_ms integer default 5000 not null,
  max_wait_ms integer default 60000 not null,
  fetch_lanes smallint default 1 not null,
  sweep_interval_s integer default 21600 not null,
  sweep_days smallint default 3 not null,
  created_at timestamp with time zone default now() not null,
  backfill_days smallint default 90 not null,
  return_urls text[] default '{}'::text[] not null,
  body_days smallint default 7 not null,
  event_days smallint default 30 not null,
  record_days integer,
  changes_floor bigint default 0 not null,
  bodies_cleared_to timestamp with time zone default now() not null,
  constraint environment_pkey PRIMARY KEY (tenant_id, environment),
  constraint environment_backfill_days_check CHECK (((backfill_days >= 0) AND (backfill_days <= 3650))),
  constraint environment_body_days_check CHECK (((body_days >= 1) AND (body_days <= 27))),
  constraint environment_check CHECK ((max_wait_ms >= debounce_ms)),
  constraint environment_debounce_ms_check CHECK ((debounce_ms >= 0)),
  constraint environment_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint environment_event_days_check CHECK (((event_days >= 7) AND (event_days <= 400))),
  constraint environment_fetch_lanes_check CHECK (((fetch_lanes >= 1) AND (fetch_lanes <= 64))),
  constraint environment_record_days_check CHECK (((record_days >= 30) AND (record_days <= 36500))),
  constraint environment_sweep_days_check CHECK (((sweep_days >= 1) AND (sweep_days <= 30))),
  constraint environment_sweep_interval_s_check CHECK ((sweep_interval_s >= 60))
);
alter table environment enable row level security;

create table erasure (
  tenant_id text not null,
  environment text not null,
  id text not null,
  requested_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  counts jsonb default '{}'::jsonb not null,
  revision bigint,
  constraint erasure_pkey PRIMARY KEY (tenant_id, environment, id)
);
alter table erasure enable row level security;

create table event (
  tenant_id text not null,
  environment text not null,
  id text not null,
  type text not null,
  revision bigint not null,
  occurred_at timestamp with time zone not null,
  user_id text,
  data bytea,
  view text,
  constraint event_pkey PRIMARY KEY (tenant_id, environment, id),
  constraint event_view_check CHECK ((view = 'resolved'::text))
);
alter table event enable row level security;

create table event_delivery (
  tenant_id text not null,
  environment text not null,
  event_id text not null,
  endpoint_id text not null,
  state text default 'pending'::text not null,
  attempts integer default 0 not null,
  attempts_total integer default 0 not null,
  next_attempt_at timestamp with time zone not null,
  lease_token uuid,
  created_at timestamp with time zone default now() not null,
  ended_at timestamp with time zone,
  turn_of text,
  turn bigint,
  awaits_turn boolean default false not null,
  constraint event_delivery_pkey PRIMARY KEY (tenant_id, environment, event_id, endpoint_id),
  constraint event_delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text])))
) with (fillfactor=70);
alter table event_delivery enable row level security;

create table fetch_window (
  tenant_id text not null,
  environment text not null,
  connection_id text not null,
  collection text not null,
  window_kind text not null,
  window_start text not null,
  window_end text not null,
  lane smallint default 0 not null,
  priority smallint default 0 not null,
  state text default 'waiting'::text not null,
  expects text default 'changed'::text not null,
  requested_version bigint,
  covered_version bigint,
  read_version bigint,
  dirty boolean default false not null,
  notices integer default 0 not null,
  fetches integer default 0 not null,
  attempts integer default 0 not null,
  contradictions smallint default 0 not null,
  first_requested_at timestamp with time zone default now() not null,
  due_at timestamp with time zone not null,
  lease_token uuid,
  last_error text,
  settled_at timestamp with time zone,
  settles boolean default false not null,
  backfill_id text,
  constraint fetch_window_pkey PRIMARY KEY (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end),
  constraint fetch_window_expects_check CHECK ((expects = ANY (ARRAY['changed'::text, 'deleted'::text]))),
  constraint fetch_window_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'fetching'::text, 'settled'::text, 'parked'::text, 'dead'::text]))),
  constraint fetch_window_window_kind_check CHECK ((window_kind = ANY (ARRAY['object'::text, 'days'::text, 'instants'::text, 'whole'::text])))
) with (fillfactor=70);
alter table fetch_window enable row level security;

create table kept_answer (
  tenant_id text not null,
  environment text not null,
  api_key_id text not null,
  idempotency_hash bytea not null,
  request_hash bytea not null,
  lease_token text not null,
  lease_until timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  status smallint,
  sealed_answer bytea,
  mentions text[] default '{}'::text[] not null,
  constraint kept_answer_pkey PRIMARY KEY (tenant_id, environment, api_key_id, idempotency_hash),
  constraint kept_answer_check CHECK (((status IS NULL) = (sealed_answer IS NULL)))
);
alter table kept_answer enable row level security;

create table measurement_record (
  tenant_id text not null,
  environment text not null,
  user_id text not null,
  provider text not null,
  metric text not null,
  source_id text not null,
  record_id text not null,
  local_date date not null,
  measured_at timestamp with time zone not null,
  value double precision,
  parts jsonb,
  unit text not null,
  implausible boolean not null,
  manual boolean not null,
  ambiguous boolean not null,
  undated boolean not null,
  connection_id text not null,
  collection text,
  provider_record_id text not null,
  source jsonb not null,
  date_basis text not null,
  day_model text not null,
  utc_offset_s integer,
  time_zone text,
  tzdb text,
  provider_date date,
  dated_at timestamp with time zone,
  coverage double precision,
  provisional boolean not null,
  version bigint not null,
  inferred boolean not null,
  revision bigint not null,
  content_hash bytea not null,
  deleted boolean default false not null,
  delete_reason text,
  input_hash bytea,
  normalizer_version integer default 1 not null,
  provider_version bigint,
  clock_domain text,
  version_epoch integer default 0 not null,
  epoch_from bigint,
  epoch_to bigint,
  coverage_end bigint,
  fresh_from bigint default 0 not null,
  fresh_to bigint default 0 not null,
  via text default 'pull'::text not null,
  complete boolean default true not null,
  ingested_at bigint default 0 not null,
  unsettled boolean default false not null,
  doubt jsonb,
  trail text default ''::text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint measurement_record_pkey PRIMARY KEY (tenant_id, environment, user_id, provider, metric, source_id, record_id),
  constraint measurement_record_check CHECK (((value IS NULL) <> (parts IS NULL)))
) with (fillfactor=80);
alter table measurement_record enable row level security;

create table missing_row (
  tenant_id text not null,
  environment text not null,
  connection_id text not null,
  collection text not null,
  record_table text not null,
  row_name text not null,
  local_date date not null,
  sent_at timestamp with time zone not null,
  scopes text[] not null,
  normalizer_version integer not null,
  confirmed_version bigint,
  constraint missing_row_pkey PRIMARY KEY (tenant_id, environment, connection_id, collection, row_name)
);
alter table missing_row enable row level security;

create table profile_zone (
  tenant_id text not null,
  environment text not null,
  connection_id text not null,
  valid_from timestamp with time zone not null,
  zone text not null,
  constraint profile_zone_pkey PRIMARY KEY (tenant_id, environment, connection_id, valid_from)
);
alter table profile_zone enable row level security;

create table provider_app (
  tenant_id text not null,
  environment text not null,
  id text not null,
  provider text not null,
  app_key text not null,
  client_id text not null,
  sandbox boolean default false not null,
  state text default 'pending'::text not null,
  tolerance_ms integer default 300000 not null,
  accepts_carried boolean default false not null,
  handshaken_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint provider_app_pkey PRIMARY KEY (tenant_id, environment, id),
  constraint provider_app_app_key_key UNIQUE (app_key),
  constraint provider_app_check CHECK (((NOT sandbox) OR (environment = 'test'::text))),
  constraint provider_app_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'active'::text, 'disabled'::text]))),
  constraint provider_app_tolerance_ms_check CHECK ((tolerance_ms >= 0))
);
alter table provider_app enable row level security;

create table provider_app_secret (
  tenant_id text not null,
  environment text not null,
  provider_app_id text not null,
  id text not null,
  purpose text not null,
  sealed bytea not null,
  created_at timestamp with time zone default now() not null,
  retires_at timestamp with time zone,
  constraint provider_app_secret_pkey PRIMARY KEY (tenant_id, environment, provider_app_id, id),
  constraint provider_app_secret_purpose_check CHECK ((purpose = ANY (ARRAY['client_secret'::text, 'webhook_secret'::text, 'verification_token'::text, 'service_account'::text])))
);
alter table provider_app_secret enable row level security;

create table rate_budget (
  tenant_id text not null,
  environment text not null,
  provider_app_id text not null,
  connection_id text default ''::text not null,
  bucket text not null,
  capacity double precision not null,
  tokens double precision not null,
  per_s double precision,
  window_ms double precision,
  resets_at timestamp with time zone,
  as_of timestamp with time zone not null,
  paused_until timestamp with time zone,
  reserved double precision default 0 not null,
  learned boolean default false not null,
  constraint rate_budget_pkey PRIMARY KEY (tenant_id, environment, provider_app_id, connection_id, bucket),
  constraint rate_budget_capacity_check CHECK ((capacity > (0)::double precision)),
  constraint rate_budget_reserved_check CHECK (((reserved >= (0)::double precision) AND (reserved <= (1)::double precision))),
  constraint rate_budget_tokens_check CHECK ((tokens >= (0)::double precision))
) with (fillfactor=50);
alter table rate_budget enable row level security;

create table recovery (
  tenant_id text not null,
  environment text not null,
  id text not null,
  kind text not null,
  endpoint_id text,
  event_types text[],
  user_ids text[],
  providers text[],
  metrics text[],
  states text[] not null,
  by_filters boolean not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  reached bigint not null,
  to_revision bigint not null,
  state text default 'running'::text not null,
  total bigint not null,
  queued bigint default 0 not null,
  slice_at timestamp with time zone default now(),
  created_at timestamp with time zone default now() not null,
  ended_at timestamp with time zone,
  constraint recovery_pkey PRIMARY KEY (tenant_id, environment, id),
  constraint recovery_kind_check CHECK ((kind = ANY (ARRAY['recover'::text, 'replay_missing'::text, 'replay'::text]))),
  constraint recovery_state_check CHECK ((state = ANY (ARRAY['running'::text, 'completed'::text, 'cancelled'::text]))),
  constraint recovery_states_check CHECK ((states <@ ARRAY['failed'::text, 'cancelled'::text, 'delivered'::text, 'missing'::text]))
);
alter table recovery enable row level security;

create table resolved_progress (
  tenant_id text not null,
  environment text not null,
  upto bigint default 0 not null,
  constraint resolved_progress_pkey PRIMARY KEY (tenant_id, environment)
);
alter table resolved_progress enable row level security;

create table resolved_record (
  tenant_id text not null,
  environment text not null,
  user_id text not null,
  kind text not null,
  metric text not null,
  local_date date not null,
  item text not null,
  picked_provider text,
  picked_source_id text,
  picked_record_id text,
  resolution jsonb not null,
  revision bigint not null,
  basis bigint not null,
  content_hash bytea not null,
  change text not null,
  deleted boolean default false not null,
  judge_again_at timestamp with time zone,
  computed_value double precision,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint resolved_record_pkey PRIMARY KEY (tenant_id, environment, user_id, kind, local_date, metric, item),
  constraint resolved_record_change_check CHECK ((change = ANY (ARRAY['created'::text, 'updated'::text, 'restored'::text, 're_resolved'::text, 'deleted'::text]))),
  constraint resolved_record_check CHECK (((computed_value IS NULL) = ((resolution ->> 'derivation'::text) IS NULL))),
  constraint resolved_record_kind_check CHECK ((kind = ANY (ARRAY['daily'::text, 'session'::text, 'measurement'::text, 'series'::text])))
) with (fillfactor=80);
alter table resolved_record enable row level security;

create table resolved_renewal (
  tenant_id text not null,
  environment text not null,
  id text not null,
  user_id text,
  metric text not null,
  from_date date not null,
  after_user text default ''::text not null,
  requested_at timestamp with time zone default now() not null,
  constraint resolved_renewal_pkey PRIMARY KEY (tenant_id, environment, id)
);
alter table resolved_renewal enable row level security;

create table revision_counter (
  tenant_id text not null,
  environment text not null,
  last_revision bigint default 0 not null,
  constraint revision_counter_pkey PRIMARY KEY (tenant_id, environment)
) with (fillfactor=50);
alter table revision_counter enable row level security;

create table series_day (
  tenant_id text not null,
  environment text not null,
  user_id text not null,
  provider text not null,
  metric text not null,
  source_id text not null,
  item text not null,
  workout_id text,
  local_date date not null,
  samples_from timestamp with time zone not null,
  offsets_s integer[] not null,
  sample_values double precision[] not null,
  interval_s integer,
  unit text not null,
  implausible boolean not null,
  connection_id text not null,
  collection text,
  provider_record_id text not null,
  source jsonb not null,
  date_basis text not null,
  day_model text not null,
  utc_offset_s integer,
  time_zone text,
  tzdb text,
  provider_date date,
  dated_at timestamp with time zone,
  coverage double precision,
  provisional boolean not null,
  version bigint not null,
  inferred boolean not null,
  revision bigint not null,
  content_hash bytea not null,
  deleted boolean default false not null,
  delete_reason text,
  input_hash bytea,
  normalizer_version integer default 1 not null,
  provider_version bigint,
  clock_domain text,
  version_epoch integer default 0 not null,
  epoch_from bigint,
  epoch_to bigint,
  coverage_end bigint,
  fresh_from bigint default 0 not null,
  fresh_to bigint default 0 not null,
  via text default 'pull'::text not null,
  complete boolean default true not null,
  ingested_at bigint default 0 not null,
  unsettled boolean default false not null,
  doubt jsonb,
  trail text default ''::text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint series_day_pkey PRIMARY KEY (tenant_id, environment, user_id, provider, metric, source_id, item),
  constraint series_day_check CHECK ((cardinality(offsets_s) = cardinality(sample_values)))
);
alter table series_day enable row level security;

create table session_record (
  tenant_id text not null,
  environment text not null,
  user_id text not null,
  provider text not null,
  kind text not null,
  source_id text not null,
  record_id text not null,
  local_date date not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  end_utc_offset_s integer,
  detail jsonb not null,
  connection_id text not null,
  collection text,
  provider_record_id text not null,
  source jsonb not null,
  date_basis text not null,
  day_model text not null,
  utc_offset_s integer,
  time_zone text,
  tzdb text,
  provider_date date,
  dated_at timestamp with time zone,
  coverage double precision,
  provisional boolean not null,
  version bigint not null,
  inferred boolean not null,
  revision bigint not null,
  content_hash bytea not null,
  deleted boolean default false not null,
  delete_reason text,
  input_hash bytea,
  normalizer_version integer default 1 not null,
  provider_version bigint,
  clock_domain text,
  version_epoch integer default 0 not null,
  epoch_from bigint,
  epoch_to bigint,
  coverage_end bigint,
  fresh_from bigint default 0 not null,
  fresh_to bigint default 0 not null,
  via text default 'pull'::text not null,
  complete boolean default true not null,
  ingested_at bigint default 0 not null,
  unsettled boolean default false not null,
  doubt jsonb,
  trail text default ''::text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint session_record_pkey PRIMARY KEY (tenant_id, environment, user_id, provider, kind, source_id, record_id),
  constraint session_record_kind_check CHECK ((kind = ANY (ARRAY['sleep'::text, 'workout'::text])))
) with (fillfactor=80);
alter table session_record enable row level security;

create table source_priority (
  tenant_id text not null,
  environment text not null,
  user_id text,
  metric text not null,
  entries jsonb not null,
  updated_at timestamp with time zone default now() not null,
  constraint source_priority_tenant_id_environment_user_id_metric_key UNIQUE NULLS NOT DISTINCT (tenant_id, environment, user_id, metric)
);
alter table source_priority enable row level security;

create table subject_tombstone (
  tenant_id text not null,
  environment text not null,
  provider_app_id text not null,
  subject_hash bytea not null,
  erased_at timestamp with time zone default now() not null,
  constraint subject_tombstone_pkey PRIMARY KEY (subject_hash, tenant_id, environment, provider_app_id)
);
alter table subject_tombstone enable row level security;

create table subscription_upkeep (
  tenant_id text not null,
  environment text not null,
  provider_app_id text not null,
  next_check_at timestamp with time zone not null,
  lease_token uuid,
  attempts integer default 0 not null,
  checked_at timestamp with time zone,
  kept_at timestamp with time zone,
  last_error text,
  expires_at timestamp with time zone,
  key_lost boolean default false not null,
  constraint subscription_upkeep_pkey PRIMARY KEY (tenant_id, environment, provider_app_id)
);
alter table subscription_upkeep enable row level security;

create table tenant (
  id text not null,
  name text not null,
  created_at timestamp with time zone default now() not null,
  constraint tenant_pkey PRIMARY KEY (id)
);
alter table tenant enable row level security;

create table upstream_revocation (
  tenant_id text not null,
  environment text not null,
  id text not null,
  provider_app_id text not null,
  access_token bytea not null,
  subject_id bytea not null,
  attempts integer default 0 not null,
  due_at timestamp with time zone default now() not null,
  created_at timestamp with time zone default now() not null,
  constraint upstream_revocation_pkey PRIMARY KEY (tenant_id, environment, id)
);
alter table upstream_revocation enable row level security;

create table webhook_delivery (
  delivery_key uuid not null,
  tenant_id text not null,
  environment text not null,
  provider_app_id text not null,
  delivery_id text not null,
  period integer default webhook_period(now()) not null,
  notices integer default 1 not null,
  received_at timestamp with time zone default now() not null,
  signed_at timestamp with time zone,
  grade text not null,
  secret_id text not null,
  body_hash bytea not null,
  raw_body bytea,
  constraint webhook_delivery_pkey PRIMARY KEY (delivery_key, tenant_id, environment, period),
  constraint webhook_delivery_grade_check CHECK ((grade = ANY (ARRAY['signed'::text, 'signed-partial'::text, 'shared-secret'::text, 'path-secret'::text])))
) partition by LIST (period);
alter table webhook_delivery enable row level security;

create table webhook_notice (
  tenant_id text not null,
  environment text not null,
  provider_app_id text not null,
  delivery_key uuid not null,
  ordinal integer not null,
  connection_id text not null,
  period integer default webhook_period(now()) not null,
  version bigint,
  received_at timestamp with time zone default now() not null,
  reopenable boolean default false not null,
  status text default 'received'::text not null,
  kind text not null,
  collection text not null,
  window_kind text not null,
  window_start text not null,
  window_end text not null,
  carried bytea,
  constraint webhook_notice_kind_check CHECK ((kind = ANY (ARRAY['changed'::text, 'deleted'::text]))),
  constraint webhook_notice_status_check CHECK ((status = ANY (ARRAY['received'::text, 'windowed'::text, 'applied'::text, 'dead'::text]))),
  constraint webhook_notice_window_kind_check CHECK ((window_kind = ANY (ARRAY['object'::text, 'days'::text, 'instants'::text, 'whole'::text])))
) partition by LIST (period);
alter table webhook_notice enable row level security;

-- foreign keys

alter table api_key add constraint api_key_tenant_id_environment_fkey FOREIGN KEY (tenant_id, environment) REFERENCES environment(tenant_id, environment);
alter table app_user add constraint app_user_tenant_id_environment_fkey FOREIGN KEY (tenant_id, environment) REFERENCES environment(tenant_id, environment);
alter table connect_link add constraint connect_link_tenant_id_environment_user_id_fkey FOREIGN KEY (tenant_id, environment, user_id) REFERENCES app_user(tenant_id, environment, id);
alter table connect_session add constraint connect_session_tenant_id_environment_provider_app_id_fkey FOREIGN KEY (tenant_id, environment, provider_app_id) REFERENCES provider_app(tenant_id, environment, id);
alter table connect_session add constraint connect_session_tenant_id_environment_user_id_fkey FOREIGN KEY (tenant_id, environment, user_id) REFERENCES app_user(tenant_id, environment, id);
alter table connection add constraint connection_tenant_id_environment_provider_app_id_fkey FOREIGN KEY (tenant_id, environment, provider_app_id) REFERENCES provider_app(tenant_id, environment, id);
alter table connection add constraint connection_tenant_id_environment_user_id_fkey FOREIGN KEY (tenant_id, environment, user_id) REFERENCES app_user(tenant_id, environment, id);
alter table endpoint add constraint endpoint_tenant_id_environment_fkey FOREIGN KEY (tenant_id, environment) REFERENCES environment(tenant_id, environment);
alter table endpoint_pace add constraint endpoint_pace_tenant_id_environment_endpoint_id_fkey FOREIGN KEY (tenant_id, environment, endpoint_id) REFERENCES endpoint(tenant_id, environment, id) ON DELETE CASCADE;
alter table endpoint_secret add constraint endpoint_secret_tenant_id_environment_endpoint_id_fkey FOREIGN KEY (tenant_id, environment, endpoint_id) REFERENCES endpoint(tenant_id, environment, id) ON DELETE CASCADE;
alter table environment add constraint environment_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(id);
alter table erasure add constraint erasure_tenant_id_environment_fkey FOREIGN KEY (tenant_id, environment) REFERENCES environment(tenant_id, environment);
alter table kept_answer add constraint kept_answer_tenant_id_environment_api_key_id_fkey FOREIGN KEY (tenant_id, environment, api_key_id) REFERENCES api_key(tenant_id, environment, id) ON DELETE CASCADE;
alter table provider_app add constraint provider_app_tenant_id_environment_fkey FOREIGN KEY (tenant_id, environment) REFERENCES environment(tenant_id, environment);
alter table provider_app_secret add constraint provider_app_secret_tenant_id_environment_provider_app_id_fkey FOREIGN KEY (tenant_id, environment, provider_app_id) REFERENCES provider_app(tenant_id, environment, id) ON DELETE CASCADE;
alter table rate_budget add constraint rate_budget_tenant_id_environment_provider_app_id_fkey FOREIGN KEY (tenant_id, environment, provider_app_id) REFERENCES provider_app(tenant_id, environment, id) ON DELETE CASCADE;
alter table resolved_progress add constraint resolved_progress_tenant_id_environment_fkey FOREIGN KEY (tenant_id, environment) REFERENCES environment(tenant_id, environment);
alter table revision_counter add constraint revision_counter_tenant_id_environment_fkey FOREIGN KEY (tenant_id, environment) REFERENCES environment(tenant_id, environment);
alter table subscription_upkeep add constraint subscription_upkeep_tenant_id_environment_provider_app_id_fkey FOREIGN KEY (tenant_id, environment, provider_app_id) REFERENCES provider_app(tenant_id, environment, id) ON DELETE CASCADE;
alter table upstream_revocation add constraint upstream_revocation_tenant_id_environment_provider_app_id_fkey FOREIGN KEY (tenant_id, environment, provider_app_id) REFERENCES provider_app(tenant_id, environment, id);

-- indexes

CREATE INDEX audit_log_by_time ON public.audit_log USING btree (tenant_id, environment, at, id);
CREATE INDEX backfill_by_connection ON public.backfill USING btree (tenant_id, environment, connection_id, id);
CREATE INDEX backfill_check_due ON public.backfill USING btree (check_at) WHERE (check_at IS NOT NULL);
CREATE UNIQUE INDEX backfill_running ON public.backfill USING btree (tenant_id, environment, connection_id) WHERE (state = 'running'::text);
CREATE INDEX connect_session_by_link ON public.connect_session USING btree (tenant_id, environment, link_id) WHERE (link_id IS NOT NULL);
CREATE INDEX connection_by_subject ON public.connection USING btree (subject_id, provider_app_id, tenant_id, environment);
CREATE INDEX connection_sweep_due ON public.connection USING btree (next_sweep_at) WHERE (status = 'active'::text);
CREATE INDEX daily_rollup_by_document ON public.daily_rollup USING btree (connection_id, provider_record_id, tenant_id, environment);
CREATE UNIQUE INDEX dead_letter_open ON public.dead_letter USING btree (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) WHERE ((closed_at IS NULL) AND (connection_id IS NOT NULL));
CREATE UNIQUE INDEX dead_letter_open_body ON public.dead_letter USING btree (tenant_id, environment, provider_app_id, body_hash) WHERE ((closed_at IS NULL) AND (connection_id IS NULL));
CREATE INDEX dead_letter_open_by_bucket ON public.dead_letter USING btree (tenant_id, environment, bucket, id) WHERE (closed_at IS NULL);
CREATE INDEX dead_letter_open_drift ON public.dead_letter USING btree (provider, normalizer_version) WHERE ((closed_at IS NULL) AND (bucket = 'drift'::text) AND (connection_id IS NOT NULL));
CREATE INDEX delivery_attempt_by_endpoint ON ONLY public.delivery_attempt USING btree (tenant_id, environment, endpoint_id, started_at);
CREATE INDEX delivery_attempt_by_time ON ONLY public.delivery_attempt USING btree (tenant_id, environment, started_at);
CREATE INDEX delivery_attempt_failed ON ONLY public.delivery_attempt USING btree (tenant_id, environment, endpoint_id, started_at) WHERE (outcome <> 'delivered'::text);
CREATE INDEX delivery_attempt_failed_by_time ON ONLY public.delivery_attempt USING btree (tenant_id, environment, started_at) WHERE (outcome <> 'delivered'::text);
CREATE INDEX endpoint_of_view ON public.endpoint USING btree (tenant_id, environment) WHERE (source_view <> 'source'::text);
CREATE INDEX erasure_by_revision ON public.erasure USING btree (tenant_id, environment, revision) WHERE (revision IS NOT NULL);
CREATE UNIQUE INDEX event_by_revision ON public.event USING btree (tenant_id, environment, revision);
CREATE INDEX event_by_user ON public.event USING btree (tenant_id, environment, user_id, revision) WHERE (user_id IS NOT NULL);
CREATE INDEX event_delivery_due ON public.event_delivery USING btree (tenant_id, environment, endpoint_id, LEAST(attempts, 1), next_attempt_at) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text]));
CREATE INDEX event_delivery_turn ON public.event_delivery USING btree (tenant_id, environment, endpoint_id, turn_of, turn) WHERE ((state = ANY (ARRAY['pending'::text, 'sending'::text])) AND (turn_of IS NOT NULL));
CREATE INDEX fetch_window_due ON public.fetch_window USING btree (tenant_id, environment, lane, priority, due_at) WHERE (state = ANY (ARRAY['waiting'::text, 'fetching'::text]));
CREATE INDEX kept_answer_expired ON public.kept_answer USING btree (expires_at);
CREATE INDEX measurement_record_by_date ON public.measurement_record USING btree (tenant_id, environment, user_id, local_date);
CREATE INDEX measurement_record_by_document ON public.measurement_record USING btree (connection_id, provider_record_id, tenant_id, environment);
CREATE INDEX rate_budget_by_connection ON public.rate_budget USING btree (tenant_id, environment, connection_id) WHERE (connection_id <> ''::text);
CREATE INDEX recovery_due ON public.recovery USING btree (slice_at) WHERE (slice_at IS NOT NULL);
CREATE INDEX resolved_record_again ON public.resolved_record USING btree (judge_again_at) WHERE (judge_again_at IS NOT NULL);
CREATE INDEX series_day_by_date ON public.series_day USING btree (tenant_id, environment, user_id, local_date);
CREATE INDEX series_day_by_document ON public.series_day USING btree (connection_id, provider_record_id, tenant_id, environment);
CREATE INDEX session_record_by_date ON public.session_record USING btree (tenant_id, environment, user_id, kind, local_date);
CREATE INDEX session_record_by_document ON public.session_record USING btree (connection_id, provider_record_id, tenant_id, environment);
CREATE INDEX subscription_upkeep_due ON public.subscription_upkeep USING btree (next_check_at);
CREATE INDEX upstream_revocation_due ON public.upstream_revocation USING btree (due_at);
CREATE INDEX webhook_delivery_by_time ON ONLY public.webhook_delivery USING brin (received_at);
CREATE INDEX webhook_notice_filed ON ONLY public.webhook_notice USING btree (connection_id, collection, window_start, tenant_id, environment) WHERE (status <> 'received'::text);
CREATE INDEX webhook_notice_reopenable ON ONLY public.webhook_notice USING btree (delivery_key) WHERE reopenable;
CREATE INDEX webhook_notice_waiting ON ONLY public.webhook_notice USING btree (tenant_id, environment, received_at, delivery_key) WHERE (status = 'received'::text);

-- triggers and policies

create policy presented_key on api_key as permissive for select to public using ((hash = decode(COALESCE(current_setting('tributary.presented_key'::text, true), ''::text), 'hex'::text)));
create policy tenant_rows on api_key as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on app_user as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on audit_log as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on backfill as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on backfill_part as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on collection_sweep as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on connect_link as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on connect_session as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on connection as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on daily_rollup as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on dead_letter as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on delivery_attempt as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on endpoint as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on endpoint_pace as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on endpoint_secret as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on environment as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on erasure as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on event as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on event_delivery as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on fetch_window as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on kept_answer as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on measurement_record as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on missing_row as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on profile_zone as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on provider_app as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on provider_app_secret as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on rate_budget as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on recovery as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on resolved_progress as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on resolved_record as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on resolved_renewal as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on revision_counter as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on series_day as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on session_record as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on source_priority as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on subject_tombstone as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on subscription_upkeep as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy own_tenant on tenant as permissive for select to public using ((id = current_setting('tributary.tenant'::text, true)));
create policy tenant_rows on upstream_revocation as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on webhook_delivery as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
create policy tenant_rows on webhook_notice as permissive for all to public using (((tenant_id = current_setting('tributary.tenant'::text, true)) AND (environment = current_setting('tributary.environment'::text, true))));
