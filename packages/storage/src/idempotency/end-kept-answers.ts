import type { Sql } from '../sql.js';

/** Deletes up to `limit` answers whose time is over, of all tenants: for sessions of the owner. @returns how many. */
export async function endKeptAnswers(sql: Sql, limit: number): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'end-kept-answers',
    text: `
      delete from kept_answer where (tenant_id, environment, api_key_id, idempotency_hash) in (
        select tenant_id, environment, api_key_id, idempotency_hash from kept_answer
        where expires_at <= now() order by expires_at limit $1 for update skip locked)`,
    values: [limit],
  });
  return rowCount ?? 0;
}
