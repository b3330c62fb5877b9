import type { EventType, Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

export interface NewEvent {
  readonly id: string;
  readonly type: EventType;
  readonly revision: number;
  /** Whose it is; undefined for events about no person. */
  readonly userId: string | undefined;
  /** The exact bytes of `data`. */
  readonly data: Buffer;
}

/**
 * Writes events and what is owed to every enabled endpoint that takes their type, due at once. Call it in the transaction of the
 * change that they tell of.
 * @returns endpoints that are owed something now.
 */
export async function insertEvents(sql: Sql, { tenantId, environment }: Scope, events: readonly NewEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  const { rows } = await sql.query<{ endpoint_id: string }>({
    name: 'events/insert-events',
    text: `
      with news as (
        insert into event (tenant_id, environment, id, type, revision, occurred_at, user_id, data)
        select $1, $2, e.id, e.type, e.revision, clock_timestamp(), e.user_id, e.data
        from unnest($3::text[], $4::text[], $5::int8[], $6::text[], $7::bytea[]) as e (id, type, revision, user_id, data)
        returning id, type
      ), owed as (
        insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at)
        select $1, $2, n.id, p.id, clock_timestamp()
        from news n
        join endpoint p on p.tenant_id = $1 and p.environment = $2 and p.status = 'enabled'
          and (p.event_types is null or n.type = any(p.event_types))
        returning endpoint_id
      )
      select distinct endpoint_id from owed`,
    values: [
      tenantId,
      environment,
      pgArray(
        'text',
        events.map((e) => e.id),
      ),
      pgArray(
        'text',
        events.map((e) => e.type),
      ),
      pgArray(
        'int8',
        events.map((e) => e.revision),
      ),
      pgArray(
        'text',
        events.map((e) => e.userId),
      ),
      pgArray(
        'bytea',
        events.map((e) => e.data),
      ),
    ],
  });
  return rows.map((row) => row.endpoint_id);
}
