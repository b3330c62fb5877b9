// 1 zones of a person's profile · 2 rows that reads of whole days lack · 3 what a connection owes its rows
// No foreign keys: the statements that write here hold the connection (for key share), and erasure purges by its registry.
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Reads1796000000006 implements MigrationInterface {
  name = 'Reads1796000000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- What the provider's profile named, and since when. The first period reaches back to 1970: nothing better is known of before.
      create table profile_zone (
        tenant_id text not null,
        environment text not null,
        connection_id text not null,
        valid_from timestamptz not null,
        zone text not null,
        primary key (tenant_id, environment, connection_id, valid_from)
      );

      -- A row that we hold and that a complete read of its day did not show. Of a read only what it lacks is kept: what it showed is
      -- told by the row's not being here.
      create table missing_row (
        tenant_id text not null,
        environment text not null,
        connection_id text not null,
        collection text not null,
        record_table text not null,
        row_name text not null,
        local_date date not null,
        -- Of the first read that lacked it, and what that read could see.
        sent_at timestamptz not null,
        scopes text[] not null,
        normalizer_version integer not null,
        -- Start of the read that confirmed it, in microseconds: gone, unless too much is.
        confirmed_version bigint,
        primary key (tenant_id, environment, connection_id, collection, row_name)
      );

      alter table connection
        -- More is known of where the person was: rows that rest on a guess may move.
        add column redate_due boolean not null default false,
        -- The scopes changed: rows of what may not be read any more are hidden, those of what may be read again are shown.
        add column permissions_due boolean not null default false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table connection drop column redate_due, drop column permissions_due;
      drop table missing_row, profile_zone;
    `);
  }
}
