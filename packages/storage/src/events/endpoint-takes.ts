/** Expressions of an event: what it is of, or SQL null for what it is of nothing of. */
export interface FilteredBy {
  readonly type: string;
  readonly provider: string;
  /** Null unless it tells of a record. */
  readonly metric: string;
  readonly userId: string;
  /** `'resolved'`; anything else: what a source says. */
  readonly view: string;
}

/**
 * Condition of SQL: the endpoint `p` takes such an event. A filter lets through what has nothing of its kind: an event about no person passes
 * `user_ids`, one about no metric (a connection, a backfill, an erasure) passes `metrics` and `source_view`.
 *
 * Events of the resolved view pass `providers`: what stands for a day may come from another provider tomorrow, and who is told of one half
 * of such a change would keep a wrong number.
 */
export function endpointTakes(p: string, { type, provider, metric, userId, view }: FilteredBy): string {
  return `(${p}.event_types is null or ${type} = any (${p}.event_types))
          and (${p}.providers is null or ${provider} is null or ${view} is not distinct from 'resolved' or ${provider} = any (${p}.providers))
          and (${p}.metrics is null or ${metric} is null or ${metric} = any (${p}.metrics))
          and (${p}.user_ids is null or ${userId} is null or ${userId} = any (${p}.user_ids))
          and (${metric} is null or ${p}.source_view = 'both' or ${p}.source_view = coalesce(${view}, 'source'))`;
}
