import type { Pool } from 'pg';
import type { SeededEndpoint } from './seed.js';

export interface OwedEvent {
  readonly attempts?: number;
  /** Milliseconds from now until it is due; the default is a second ago. */
  readonly dueInMs?: number;
  readonly state?: string;
  readonly type?: string;
  readonly userId?: string;
  /** Null: scrubbed. */
  readonly data?: Buffer | null;
}

let revision = 0;

/** An event, if there is none of this id yet, and its delivery to one endpoint. */
export async function oweEvent(pool: Pool, to: SeededEndpoint, id: string, owed: OwedEvent = {}): Promise<void> {
  const { attempts = 0, dueInMs = -1_000, state = 'pending', type = 'daily.updated', userId = null } = owed;
  const data = owed.data === undefined ? Buffer.from(`{"id":"${id}"}`) : owed.data;
  revision += 1;
  await pool.query(
    `insert into event (tenant_id, environment, id, type, revision, occurred_at, user_id, data) values ($1, $2, $3, $4, $5, now(), $6, $7)
     on conflict do nothing`,
    [to.tenantId, to.environment, id, type, revision, userId, data],
  );
  await pool.query(
    `insert into event_delivery (tenant_id, environment, event_id, endpoint_id, state, attempts, next_attempt_at)
     values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms')`,
    [to.tenantId, to.environment, id, to.id, state, attempts, dueInMs],
  );
}
