import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RecordOwner } from './record-row.js';

/**
 * Of these people at these providers only we write records until the transaction ends. Taken before anything is read that a decision rests
 * on, and before the revision counter: who holds that never waits for somebody who decides. In one order, so nobody waits in a circle.
 */
export async function lockPeople(
  sql: Sql,
  { tenantId, environment }: Scope,
  people: readonly Pick<RecordOwner, 'userId' | 'provider'>[],
): Promise<void> {
  const names = new Set(people.map(({ userId, provider }) => `${tenantId}/${environment}/${userId}/${provider}`));
  await sql.query({
    name: 'records/lock-people',
    text: `
      select pg_advisory_xact_lock(person) from (
        select hashtextextended(name, 0) as person from unnest($1::text[]) as name order by 1
      ) people`,
    values: [pgArray('text', [...names])],
  });
}
