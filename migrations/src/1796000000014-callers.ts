// 1 what an API key may do · 2 answers kept for requests that are sent again · 3 the audit log by time
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Callers1796000000014 implements MigrationInterface {
  name = 'Callers1796000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- '*' is everything: what keys from before could do.
      alter table api_key add column scopes text[] not null default '{*}' check (cardinality(scopes) > 0);

      -- One POST with an Idempotency-Key: under way while status is null, and then only until the lease ends.
      create table kept_answer (
        tenant_id text not null,
        environment text not null,
        api_key_id text not null,
        -- Hashes: a customer may put anything into a key or a request.
        idempotency_hash bytea not null,
        request_hash bytea not null,
        lease_token text not null,
        lease_until timestamptz not null,
        expires_at timestamptz not null,
        status smallint,
        -- Headers and body, sealed: a body may hold a secret that is shown once.
        sealed_answer bytea,
        -- Our own ids that stand in the request's path or in the answer: by these an erasure finds it.
        mentions text[] not null default '{}',
        primary key (tenant_id, environment, api_key_id, idempotency_hash),
        check ((status is null) = (sealed_answer is null)),
        foreign key (tenant_id, environment, api_key_id) references api_key (tenant_id, environment, id) on delete cascade
      );
      create index kept_answer_expired on kept_answer (expires_at);

      create index audit_log_by_time on audit_log (tenant_id, environment, at, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index audit_log_by_time;
      drop table kept_answer;
      alter table api_key drop column scopes;
    `);
  }
}
