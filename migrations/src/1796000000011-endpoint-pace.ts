// 1 what an endpoint asks of the sending · 2 how fast it is sent to now, and whether it rests · 3 whose turn it is at an ordered endpoint
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EndpointPace1796000000011 implements MigrationInterface {
  name = 'EndpointPace1796000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table endpoint
        -- user: of each person one delivery at a time, in the order of revisions.
        add column ordering text not null default 'none' check (ordering in ('none', 'user')),
        -- Requests in a second, evenly; null: as many as it takes.
        add column rate_per_second real check (rate_per_second > 0 and rate_per_second <= 10000),
        -- When endpoint.failing was told last. Before failing_since: not of these failures.
        add column warned_at timestamptz;

      -- Apart from the endpoint, whose row every fan-out reads. None: sent to as fast as we send to anyone.
      create table endpoint_pace (
        tenant_id text not null,
        environment text not null,
        endpoint_id text not null,
        -- Requests at the same moment; a fraction, since it grows by less than one.
        concurrency real not null,
        -- Failures in a row, and how often in a row it was left to rest after them.
        failures integer not null default 0,
        rests integer not null default 0,
        -- It rests until then; after that one delivery probes. Null: it does not.
        rests_until timestamptz,
        -- Until then what the rate allows is taken.
        rate_taken_until timestamptz,
        primary key (tenant_id, environment, endpoint_id),
        foreign key (tenant_id, environment, endpoint_id) references endpoint (tenant_id, environment, id) on delete cascade
      ) with (fillfactor = 70);

      alter table event_delivery
        -- At an ordered endpoint: whose queue it stands in, and where. Null: not looked at yet, or in nobody's.
        add column turn_of text,
        add column turn bigint,
        -- It was due, and one before it was not done.
        add column awaits_turn boolean not null default false;
      create index event_delivery_turn on event_delivery (tenant_id, environment, endpoint_id, turn_of, turn)
        where state in ('pending', 'sending') and turn_of is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index event_delivery_turn;
      alter table event_delivery drop column turn_of, drop column turn, drop column awaits_turn;
      drop table endpoint_pace;
      alter table endpoint drop column ordering, drop column rate_per_second, drop column warned_at;
    `);
  }
}
