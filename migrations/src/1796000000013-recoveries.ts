// Recoveries: what is to be sent again, and how far that has come
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Recoveries1796000000013 implements MigrationInterface {
  name = 'Recoveries1796000000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table recovery (
        tenant_id text not null,
        environment text not null,
        id text not null,
        kind text not null check (kind in ('recover', 'replay_missing', 'replay')),
        -- Null: every enabled endpoint.
        endpoint_id text,
        -- Each null: all of them. An empty list of users: everybody whom it named was erased.
        event_types text[],
        user_ids text[],
        providers text[],
        metrics text[],
        -- What a delivery has come to; missing: there is none.
        states text[] not null check (states <@ array['failed', 'cancelled', 'delivered', 'missing']),
        -- Whether deliveries that exist are sent again only if the endpoint would be owed the event today. Missing ones always.
        by_filters boolean not null,
        -- When the event occurred; to_at is exclusive.
        from_at timestamptz not null,
        to_at timestamptz not null,
        -- The mark: all events up to it are dealt with. Moves with the commit of what they were owed.
        reached bigint not null,
        -- Events after it are not of this recovery.
        to_revision bigint not null,
        state text not null default 'running' check (state in ('running', 'completed', 'cancelled')),
        -- Deliveries that matched at the beginning; those made due so far.
        total bigint not null,
        queued bigint not null default 0,
        -- When its next slice may begin; null once it has ended.
        slice_at timestamptz default now(),
        created_at timestamptz not null default now(),
        ended_at timestamptz,
        primary key (tenant_id, environment, id)
      );
      create index recovery_due on recovery (slice_at) where slice_at is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table recovery;`);
  }
}
