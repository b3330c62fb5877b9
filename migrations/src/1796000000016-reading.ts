// 1 how long an environment keeps what · 2 what the changes feed and explanations ask for · 3 the end of bodies that were kept long enough
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Reading1796000000016 implements MigrationInterface {
  name = 'Reading1796000000016';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table environment
        -- Days that verified bodies of webhooks are kept; the partitions that they stand in go after four weeks at most.
        add column body_days smallint not null default 7 check (body_days between 1 and 27),
        -- Days that events, their deliveries and attempts are kept.
        add column event_days smallint not null default 30 check (event_days between 7 and 400),
        -- Days that records are kept, by their civil date; null: until somebody erases the person.
        add column record_days integer check (record_days between 30 and 36500),
        -- The highest revision whose event was dropped for its age: a reader of changes who has seen less has missed something.
        add column changes_floor bigint not null default 0,
        -- No body from before that moment is left.
        add column bodies_cleared_to timestamptz not null default now();
      -- Older bodies went with their partitions.
      update environment set bodies_cleared_to = now() - interval '28 days';

      -- The changes of one person, in their order.
      drop index event_by_user;
      create index event_by_user on event (tenant_id, environment, user_id, revision) where user_id is not null;

      -- Of the event that told of it: what a reader of changes is shown once that event names nobody any more.
      alter table erasure add column revision bigint;
      create index erasure_by_revision on erasure (tenant_id, environment, revision) where revision is not null;

      -- Rows come in the order of their time, so a summary of each stretch of the table finds a day; it costs an insert next to nothing.
      create index webhook_delivery_by_time on webhook_delivery using brin (received_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index webhook_delivery_by_time;
      drop index erasure_by_revision;
      alter table erasure drop column revision;
      drop index event_by_user;
      create index event_by_user on event (tenant_id, environment, user_id) where user_id is not null;
      alter table environment drop column body_days, drop column event_days, drop column record_days, drop column changes_floor,
        drop column bodies_cleared_to;
    `);
  }
}
