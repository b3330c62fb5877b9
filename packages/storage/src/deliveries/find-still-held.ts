import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

export interface HeldClaim extends Scope {
  readonly endpointId: string;
  readonly leaseToken: string;
  /** Where the deliveries were to be sent when they were claimed. */
  readonly url: string;
  /** Secrets that the slice is signed with. */
  readonly secretIds: readonly string[];
  readonly eventIds: readonly string[];
}

/**
 * Which claimed deliveries are still ours to send: the lease is held, which an erasure takes away, the endpoint is enabled and where it
 * was, and no secret was revoked.
 * Asked for by their key alone: the state is no condition, since the index of what is due would then seem to serve.
 * @returns their events.
 */
export async function findStillHeld(sql: Sql, claim: HeldClaim): Promise<string[]> {
  const { rows } = await sql.query<{ eventId: string }>({
    name: 'find-still-held',
    text: `
      select d.event_id as "eventId" from event_delivery d
       where d.tenant_id = $1 and d.environment = $2 and d.endpoint_id = $3 and d.event_id = any($4::text[]) and d.lease_token = $5::uuid
         and exists (select from endpoint p
                      where p.tenant_id = $1 and p.environment = $2 and p.id = $3 and p.status = 'enabled' and p.url = $6)
         and not exists (select from unnest($7::text[]) as used (id)
                          where not exists (select from endpoint_secret s
                                             where s.tenant_id = $1 and s.environment = $2 and s.endpoint_id = $3 and s.id = used.id
                                               and (s.retires_at is null or s.retires_at > now())))`,
    values: [
      ...[claim.tenantId, claim.environment, claim.endpointId, pgArray('text', claim.eventIds), claim.leaseToken, claim.url],
      pgArray('text', claim.secretIds),
    ],
  });
  return rows.map(({ eventId }) => eventId);
}
