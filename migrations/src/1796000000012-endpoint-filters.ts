// 1 what an endpoint takes, and in which form · 2 which events tell of the resolved view
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EndpointFilters1796000000012 implements MigrationInterface {
  name = 'EndpointFilters1796000000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table endpoint
        -- Null: all of them. An empty list takes none: everybody whom it named was erased.
        add column providers text[],
        add column metrics text[],
        add column user_ids text[],
        -- thin: values are left out, and links to them put in.
        add column payload text not null default 'full' check (payload in ('full', 'thin')),
        -- Of records: what each source says, what stands for all of them, or both.
        add column source_view text not null default 'source' check (source_view in ('source', 'resolved', 'both'));
      create index endpoint_of_view on endpoint (tenant_id, environment) where source_view <> 'source';

      alter table event
        -- Null: it tells of a source, or of no record.
        add column view text check (view = 'resolved');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index endpoint_of_view;
      alter table event drop column view;
      alter table endpoint drop column providers, drop column metrics, drop column user_ids, drop column payload, drop column source_view;
    `);
  }
}
