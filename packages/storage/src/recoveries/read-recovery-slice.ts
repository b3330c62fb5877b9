import type { Sql } from '../sql.js';
import { recoveredDeliveries, recoveredValues } from './recovered-deliveries.js';
import { recoveryPace } from './recovery-pace.js';
import type { RecoveryRow } from './recovery.js';

export interface RecoverySlice {
  readonly eventIds: string[];
  readonly endpointIds: string[];
  /** Whose the events are, each once. */
  readonly userIds: string[];
  /** The mark once these are dealt with. */
  readonly reached: number;
}

/** What comes next, in the order of revisions: `eventIds[n]` goes to `endpointIds[n]`. All endpoints of an event are in one slice. */
export async function readRecoverySlice(sql: Sql, recovery: RecoveryRow): Promise<RecoverySlice> {
  const { rows } = await sql.query<{ eventIds: string[] | null; endpointIds: string[] | null; userIds: string[] | null; reached: string }>({
    name: 'recoveries/read-recovery-slice',
    text: `
      with ${recoveredDeliveries}, taken as materialized (
        select distinct revision from matched order by revision limit $15
      ), chosen as (
        select m.* from matched m where m.revision in (select revision from taken)
      )
      select array_agg(event_id order by revision, endpoint_id) as "eventIds",
             array_agg(endpoint_id order by revision, endpoint_id) as "endpointIds",
             array_agg(distinct user_id) filter (where user_id is not null) as "userIds",
             case when (select count(*) from taken) = $15 then (select max(revision) from taken)
                  when (select count(*) from scanned) = $3 then (select max(revision) from scanned)
                  else $5 end as reached
      from chosen`,
    values: [...recoveredValues(recovery, recovery, recovery, recoveryPace.look), recoveryPace.slice],
  });
  const row = rows[0];
  return {
    eventIds: row?.eventIds ?? [],
    endpointIds: row?.endpointIds ?? [],
    userIds: row?.userIds ?? [],
    reached: Number(row?.reached ?? recovery.toRevision),
  };
}
