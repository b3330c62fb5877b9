import type { EventType, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { endpointTakes } from './endpoint-takes.js';

export interface Announcement extends Scope {
  readonly id: string;
  readonly type: EventType;
  readonly revision: number;
  /** Whose it is; null for events about no person, and for the last one about an erased one. */
  readonly userId: string | null;
  /** Made by `eventData`. */
  readonly data: Buffer;
  /** Absent for events about no provider. */
  readonly provider?: string;
  /** Only these, whatever they take; absent: every enabled endpoint that takes it. */
  readonly endpointIds?: readonly string[];
}

const takes = endpointTakes('p', { type: '$4', provider: '$8::text', metric: 'null::text', userId: '$6::text', view: 'null::text' });

/**
 * One event about no record, with a delivery owed to each endpoint concerned: enabled ones whose filters let it through, or those that it
 * is for.
 * @returns those endpoints, for their tickets after the commit.
 */
export async function announceEvent(sql: Sql, event: Announcement): Promise<string[]> {
  const { rows } = await sql.query<{ endpointId: string }>({
    name: 'announce-event',
    text: `
      with told as (
        insert into event (tenant_id, environment, id, type, revision, occurred_at, user_id, data)
        values ($1, $2, $3, $4, $5, clock_timestamp(), $6, $7)
      )
      insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at)
      select p.tenant_id, p.environment, $3, p.id, now()
      from endpoint p
      where p.tenant_id = $1 and p.environment = $2 and p.status = 'enabled'
        and case when $9::text[] is null then ${takes} else p.id = any ($9::text[]) end
      order by p.id
      returning endpoint_id as "endpointId"`,
    values: [
      event.tenantId,
      event.environment,
      event.id,
      event.type,
      event.revision,
      event.userId,
      event.data,
      event.provider ?? null,
      event.endpointIds ?? null,
    ],
  });
  return rows.map((row) => row.endpointId);
}
