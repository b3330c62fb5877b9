import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface ChangesFilter {
  /** Revision up to which everything was seen. */
  readonly after: number;
  readonly userId: string | undefined;
  /** Undefined: every type. */
  readonly types: readonly string[] | undefined;
  readonly metric: string | undefined;
  /** Of records: what each source says, or what the resolved view shows. What is about no record is told in both. */
  readonly view: 'source' | 'resolved';
  /** Most changes to answer. */
  readonly limit: number;
  /** Most events to look at: what a filter rejects costs nearly as much as what it lets through. */
  readonly scan: number;
  /** What stands between two changes in `lines`. */
  readonly separator: string;
}

export interface ReadChanges {
  /** The highest revision whose event was dropped for its age. */
  readonly floor: number;
  /** The highest revision of the environment at this moment. */
  readonly head: number;
  /** Revision up to which this answer has seen everything; `after` when there was nothing. */
  readonly upto: number;
  /** Whether events beyond `upto` may stand already. */
  readonly more: boolean;
  readonly count: number;
  /** The changes as JSON, by revision; null: none. */
  readonly lines: string | null;
}

/**
 * Changes in the order of their revisions, as text that is sent as it is: Postgres puts the stored bytes of the event into their envelope.
 * Nothing is skipped, ever: who draws a revision holds the counter until the commit (docs/decisions/0002), so where one revision is
 * visible all lower ones are. Everything is read by one statement, hence of one moment.
 *
 * A `user.erased` that names nobody any more is shown by its receipt.
 */
export async function readChanges(sql: Sql, { tenantId, environment }: Scope, filter: ChangesFilter): Promise<ReadChanges> {
  const ofUser = filter.userId !== undefined;
  const { rows } = await sql.query<ReadChanges & Record<string, unknown>>({
    // Two plans: by the person's own index, and by that of all revisions.
    name: ofUser ? 'changes/read-of-user' : 'changes/read',
    text: `
      with slice as (
        select id, type, revision, occurred_at, data, view from event
        where tenant_id = $1 and environment = $2 and revision > $3 ${ofUser ? 'and user_id = $10' : ''}
        order by revision
        limit $4
      ), found as (
        select * from slice
        where type not like 'endpoint.%'
          and ($5::text[] is null or type = any ($5))
          and ($6::text is null or case when data is not null then convert_from(data, 'UTF8')::jsonb ->> 'metric' end = $6)
          and case when type like '%.updated' and type <> 'connection.updated' or type = 'record.deleted'
            then (view is not null) = ($9 = 'resolved') else true end
        order by revision
        limit $7
      ), told as (
        select count(*)::integer as count, max(revision) as last, string_agg(
          '{"id":"' || f.id || '","type":"' || f.type || '","timestamp":"'
            || to_char(f.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","revision":' || f.revision || ',"data":'
            || coalesce(
              convert_from(f.data, 'UTF8'),
              (select json_build_object(
                  'user', null, 'erasureId', r.id, 'revision', r.revision,
                  'requestedAt', to_char(r.requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                  'completedAt', to_char(r.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text
                 from erasure r where r.tenant_id = $1 and r.environment = $2 and r.revision = f.revision and f.data is null),
              'null')
            || '}',
          $8 order by f.revision) as lines
        from found f
      ), seen as (
        select count(*) as count, max(revision) as last from slice
      )
      select e.changes_floor as floor, c.last_revision as head, told.count, told.lines,
        coalesce(case when told.count = $7 then told.last else seen.last end, $3::bigint) as upto,
        told.count = $7 or seen.count = $4 as more
      from environment e join revision_counter c using (tenant_id, environment), told, seen
      where e.tenant_id = $1 and e.environment = $2`,
    values: [
      tenantId,
      environment,
      filter.after,
      filter.scan,
      filter.types ?? null,
      filter.metric ?? null,
      filter.limit,
      filter.separator,
      filter.view,
      ...(filter.userId === undefined ? [] : [filter.userId]),
    ],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('The environment has no revision counter');
  return row;
}
