import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface RateTaken extends Scope {
  readonly endpointId: string;
  /** Milliseconds that are taken of what the rate allows: requests by the time that each has for itself. */
  readonly takesMs: number;
  /** Not when so much or more is taken already, in milliseconds from now. */
  readonly aheadMs: number;
}

/**
 * Takes a stretch of time of an endpoint whose rate is limited; processes that send to the same one take theirs behind each other.
 * @returns in how many milliseconds the stretch begins; undefined when too much is taken already.
 */
export async function takeRate(sql: Sql, rate: RateTaken): Promise<number | undefined> {
  const { rows } = await sql.query<{ startsInMs: number }>({
    name: 'take-rate',
    text: `
      insert into endpoint_pace as p (tenant_id, environment, endpoint_id, concurrency, rate_taken_until)
      select e.tenant_id, e.environment, e.id, $6, now() + $4::float8 * interval '1 millisecond'
        from endpoint e where e.tenant_id = $1 and e.environment = $2 and e.id = $3 and e.status = 'enabled'
      on conflict (tenant_id, environment, endpoint_id) do update
         set rate_taken_until = greatest(p.rate_taken_until, now()) + $4::float8 * interval '1 millisecond'
       where p.rate_taken_until is null or p.rate_taken_until < now() + $5::float8 * interval '1 millisecond'
      returning greatest(0, (extract(epoch from p.rate_taken_until - now()) * 1000)::float8 - $4::float8) as "startsInMs"`,
    values: [rate.tenantId, rate.environment, rate.endpointId, rate.takesMs, rate.aheadMs, FULL],
  });
  return rows[0]?.startsInMs;
}

/** Of a pace that nothing is known of but its rate. */
const FULL = 16;
