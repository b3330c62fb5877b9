// 1 lists of preferred sources · 2 the resolved view · 3 how far it has come, and what is judged anew
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Resolved1796000000009 implements MigrationInterface {
  name = 'Resolved1796000000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table source_priority (
        tenant_id text not null,
        environment text not null,
        -- Null: the tenant's list, for everybody who has none of their own.
        user_id text,
        metric text not null,
        -- Best first: [{"by": "source" | "provider" | "type", "is": "…"}].
        entries jsonb not null,
        updated_at timestamptz not null default now(),
        unique nulls not distinct (tenant_id, environment, user_id, metric)
      );

      -- Of all sources the one that stands for a metric's day, or for sessions that are one. A pointer and no copy: what is gone at its
      -- source is gone here. Only a total that was computed from samples of several sources is a value of its own.
      create table resolved_record (
        tenant_id text not null,
        environment text not null,
        user_id text not null,
        kind text not null check (kind in ('daily', 'session', 'measurement', 'series')),
        metric text not null,
        local_date date not null,
        -- The session that stands for its cluster; empty where a day has one only.
        item text not null,
        picked_provider text,
        picked_source_id text,
        picked_record_id text,
        resolution jsonb not null,
        -- Drawn like those of the sources, when what is shown changed.
        revision bigint not null,
        -- Revision up to which all changes of the environment were seen: an evaluation that saw less never replaces one that saw more.
        basis bigint not null,
        content_hash bytea not null,
        change text not null check (change in ('created', 'updated', 'restored', 're_resolved', 'deleted')),
        deleted boolean not null default false,
        -- A lead that must last is looked at once more.
        judge_again_at timestamptz,
        -- Of a total that was computed; nobody's samples are copied.
        computed_value double precision,
        check ((computed_value is null) = (resolution ->> 'derivation' is null)),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        -- In the order in which it is listed.
        primary key (tenant_id, environment, user_id, kind, local_date, metric, item)
      ) with (fillfactor = 80);
      create index resolved_record_again on resolved_record (judge_again_at) where judge_again_at is not null;

      -- Its row is held by whoever resolves for the environment. Events up to that revision are in the view.
      create table resolved_progress (
        tenant_id text not null,
        environment text not null,
        upto bigint not null default 0,
        primary key (tenant_id, environment),
        foreign key (tenant_id, environment) references environment (tenant_id, environment)
      );

      -- A list changed: days from then on are judged anew, user by user.
      create table resolved_renewal (
        tenant_id text not null,
        environment text not null,
        id text not null,
        user_id text,
        metric text not null,
        from_date date not null,
        -- The last user who is done.
        after_user text not null default '',
        requested_at timestamptz not null default now(),
        primary key (tenant_id, environment, id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table resolved_renewal, resolved_progress, resolved_record, source_priority;`);
  }
}
