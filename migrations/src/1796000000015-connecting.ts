// 1 links to the hosted page, and what a consent that began there ended as · 2 where people may be sent back to · 3 when a connection was last refreshed by request
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Connecting1796000000015 implements MigrationInterface {
  name = 'Connecting1796000000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A link to the hosted page. Its address is sealed and stands nowhere; from the first choice on it is one browser's.
      create table connect_link (
        tenant_id text not null,
        environment text not null,
        id text not null,
        user_id text not null,
        -- Providers that are shown; null: all that the environment has an app of.
        providers text[],
        return_url text,
        language text not null,
        -- SHA-256 of the cookie of the browser that made the first choice.
        browser_hash bytea,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        ended_at timestamptz,
        primary key (tenant_id, environment, id),
        foreign key (tenant_id, environment, user_id) references app_user (tenant_id, environment, id)
      );

      alter table connect_session
        -- The link that it began with; null: sessions of before there were links.
        add column link_id text,
        -- Only this browser can end it; null: it began from an address that the customer sent the person to.
        add column browser_hash bytea,
        add column end_is text check (end_is in ('connected', 'denied', 'failed')),
        add column end_code text,
        add column connection_id text,
        add column ended_at timestamptz;
      create index connect_session_by_link on connect_session (tenant_id, environment, link_id) where link_id is not null;

      -- To the letter; nobody is sent anywhere else.
      alter table environment add column return_urls text[] not null default '{}';

      alter table connection add column refreshed_at timestamptz;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table connection drop column refreshed_at;
      alter table environment drop column return_urls;
      drop index connect_session_by_link;
      alter table connect_session drop column link_id, drop column browser_hash, drop column end_is, drop column end_code,
        drop column connection_id, drop column ended_at;
      drop table connect_link;
    `);
  }
}
