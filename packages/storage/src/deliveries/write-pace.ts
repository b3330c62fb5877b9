import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface WrittenPace extends Scope {
  readonly endpointId: string;
  /** What was learned is of this address. */
  readonly url: string;
  readonly concurrency: number;
  readonly failures: number;
  readonly rests: number;
  /** Milliseconds from now; undefined: it does not rest. */
  readonly restsForMs: number | undefined;
}

/**
 * Remembers the pace of an endpoint. A rest postpones all that it is owed at once, however much that is: no delivery is touched, and
 * none is claimed until it ends. Nothing happens when the endpoint is gone, disabled or elsewhere by now.
 */
export async function writePace(sql: Sql, pace: WrittenPace): Promise<void> {
  await sql.query({
    name: 'write-pace',
    text: `
      insert into endpoint_pace as p (tenant_id, environment, endpoint_id, concurrency, failures, rests, rests_until)
      select e.tenant_id, e.environment, e.id, $4, $5, $6, now() + $7::float8 * interval '1 millisecond'
        from endpoint e where e.tenant_id = $1 and e.environment = $2 and e.id = $3 and e.status = 'enabled' and e.url = $8
      on conflict (tenant_id, environment, endpoint_id) do update
         set concurrency = excluded.concurrency, failures = excluded.failures, rests = excluded.rests, rests_until = excluded.rests_until`,
    values: [
      pace.tenantId,
      pace.environment,
      pace.endpointId,
      pace.concurrency,
      pace.failures,
      pace.rests,
      pace.restsForMs === undefined ? null : pace.restsForMs,
      pace.url,
    ],
  });
}
