import type { Scope, Source } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { ShownKey } from '../reading/find-records.js';
import type { Sql } from '../sql.js';
import type { ResolvedKind } from './resolved-row.js';

/** What is known of a record also when it is gone: whose it was, and since which revision it is as it is. */
export interface StandingRecord {
  /** Place of its key among those that were asked for. */
  readonly ordinal: number;
  readonly connectionId: string;
  readonly source: Source;
  readonly localDate: string;
  /** Microseconds since the epoch. */
  readonly version: number;
  readonly inferred: boolean;
  readonly revision: number;
  readonly deleted: boolean;
}

const tables = {
  daily: { from: 'daily_rollup', metric: 'metric', item: 'local_date', cast: '::date' },
  session: { from: 'session_record', metric: 'kind', item: 'record_id', cast: '' },
  measurement: { from: 'measurement_record', metric: 'metric', item: 'record_id', cast: '' },
  series: { from: 'series_day', metric: 'metric', item: 'item', cast: '' },
} as const;

/** Records of one kind, tombstones too, each by its primary key. One that nobody ever had, or whose person was erased, is left out. */
export async function findStanding(
  sql: Sql,
  { tenantId, environment }: Scope,
  kind: ResolvedKind,
  keys: readonly ShownKey[],
): Promise<StandingRecord[]> {
  if (keys.length === 0) return [];
  const { from, metric, item, cast } = tables[kind];
  const texts = (of: (key: ShownKey) => string) => pgArray('text', keys.map(of));
  const { rows } = await sql.query<StandingRecord & Record<string, unknown>>({
    name: `resolved/find-standing-${kind}`,
    text: `
      select x.*, k.ordinal::integer as ordinal
      from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
        with ordinality k (of_user, of_provider, of_source, of_metric, of_item, ordinal)
      cross join lateral (
        select connection_id as "connectionId", source, local_date as "localDate", version, inferred, revision, deleted from ${from}
        where tenant_id = $1 and environment = $2 and user_id = k.of_user and provider = k.of_provider and ${metric} = k.of_metric
          and source_id = k.of_source and ${item} = k.of_item${cast}) x
      order by k.ordinal`,
    values: [
      tenantId,
      environment,
      texts((key) => key.userId),
      texts((key) => key.provider),
      texts((key) => key.sourceId),
      texts((key) => key.metric),
      texts((key) => key.item),
    ],
  });
  return rows;
}
