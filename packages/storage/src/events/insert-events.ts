import type { EventType, Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { endpointTakes } from './endpoint-takes.js';

/** What filters of endpoints ask of an event. */
export interface EventSubjects {
  /** Undefined for events about no provider. */
  readonly provider: string | undefined;
  /** Undefined for events about no record. */
  readonly metric: string | undefined;
  /** Absent: what a source says. */
  readonly view?: 'resolved' | undefined;
}

export interface NewEvent extends EventSubjects {
  readonly id: string;
  readonly type: EventType;
  readonly revision: number;
  /** Whose it is; undefined for events about no person. */
  readonly userId: string | undefined;
  /** The exact bytes of `data`. */
  readonly data: Buffer;
}

const takes = endpointTakes('p', { type: 'n.type', provider: 'n.provider', metric: 'n.metric', userId: 'n.user_id', view: 'n.view' });

/**
 * Writes events and what is owed to every enabled endpoint that takes them, due at once. Call it in the transaction of the change that they
 * tell of.
 * @returns endpoints that are owed something now.
 */
export async function insertEvents(sql: Sql, { tenantId, environment }: Scope, events: readonly NewEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  const texts = (of: (event: NewEvent) => string | undefined) => pgArray('text', events.map(of));
  const { rows } = await sql.query<{ endpoint_id: string }>({
    name: 'events/insert-events',
    text: `
      with news as materialized (
        select e.* from unnest($3::text[], $4::text[], $5::int8[], $6::text[], $7::bytea[], $8::text[], $9::text[], $10::text[])
          as e (id, type, revision, user_id, data, provider, metric, view)
      ), told as (
        insert into event (tenant_id, environment, id, type, revision, occurred_at, user_id, data, view)
        select $1, $2, e.id, e.type, e.revision, clock_timestamp(), e.user_id, e.data, e.view from news e
      ), owed as (
        insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at)
        select $1, $2, n.id, p.id, clock_timestamp()
        from news n
        join endpoint p on p.tenant_id = $1 and p.environment = $2 and p.status = 'enabled'
          and ${takes}
        returning endpoint_id
      )
      select distinct endpoint_id from owed`,
    values: [
      tenantId,
      environment,
      texts((e) => e.id),
      texts((e) => e.type),
      pgArray(
        'int8',
        events.map((e) => e.revision),
      ),
      texts((e) => e.userId),
      pgArray(
        'bytea',
        events.map((e) => e.data),
      ),
      texts((e) => e.provider),
      texts((e) => e.metric),
      texts((e) => e.view),
    ],
  });
  return rows.map((row) => row.endpoint_id);
}
