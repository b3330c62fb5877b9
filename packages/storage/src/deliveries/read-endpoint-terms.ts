import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** How an endpoint is to be sent to. Times in milliseconds from now; negative ones have passed. */
export interface EndpointTerms {
  readonly url: string;
  readonly ordering: 'none' | 'user';
  /** In which form events are sent. */
  readonly payload: 'full' | 'thin';
  readonly ratePerSecond: number | null;
  /** The learned pace; all null when there is none yet. */
  readonly concurrency: number | null;
  readonly failures: number | null;
  readonly rests: number | null;
  readonly restsForMs: number | null;
}

/** @returns undefined when the endpoint is gone or disabled. */
export async function readEndpointTerms(sql: Sql, endpoint: Scope & { readonly endpointId: string }): Promise<EndpointTerms | undefined> {
  const { rows } = await sql.query<EndpointTerms>({
    name: 'read-endpoint-terms',
    text: `
      select e.url, e.ordering, e.payload, e.rate_per_second as "ratePerSecond", p.concurrency, p.failures, p.rests,
             (extract(epoch from p.rests_until - now()) * 1000)::float8 as "restsForMs"
        from endpoint e
        left join endpoint_pace p on p.tenant_id = e.tenant_id and p.environment = e.environment and p.endpoint_id = e.id
       where e.tenant_id = $1 and e.environment = $2 and e.id = $3 and e.status = 'enabled'`,
    values: [endpoint.tenantId, endpoint.environment, endpoint.endpointId],
  });
  return rows[0];
}
