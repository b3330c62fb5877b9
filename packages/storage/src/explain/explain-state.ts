import type { Scope } from '@tributary/domain';
import type { ShownKey } from '../reading/find-records.js';
import type { Sql } from '../sql.js';

/** What the gate knows of a row; bytes and bodies left out. Times in milliseconds since the epoch, versions in microseconds. */
export interface ExplainedState {
  readonly connectionId: string;
  readonly collection: string | null;
  readonly documentId: string;
  readonly localDate: string;
  readonly dateBasis: string;
  readonly dayModel: string;
  readonly utcOffsetS: number | null;
  readonly timeZone: string | null;
  readonly providerDate: string | null;
  readonly coverage: number | null;
  readonly provisional: boolean;
  readonly unsettled: boolean;
  readonly doubted: boolean;
  readonly version: number;
  readonly inferred: boolean;
  readonly providerVersion: number | null;
  readonly clockDomain: string | null;
  readonly versionEpoch: number;
  readonly revision: number;
  readonly via: string;
  readonly complete: boolean;
  readonly freshFrom: number;
  readonly freshTo: number;
  readonly coverageEnd: number | null;
  readonly ingestedAt: number;
  readonly normalizerVersion: number;
  readonly contentHash: Buffer;
  readonly deleted: boolean;
  readonly deleteReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const tables = {
  daily: { from: 'daily_rollup', metric: 'metric', item: 'local_date', cast: '::date' },
  session: { from: 'session_record', metric: 'kind', item: 'record_id', cast: '' },
  measurement: { from: 'measurement_record', metric: 'metric', item: 'record_id', cast: '' },
  series: { from: 'series_day', metric: 'metric', item: 'item', cast: '' },
} as const;

export type ExplainedKind = keyof typeof tables;

/** One row by its key, deleted or not, with everything that decides whether another state may replace it. */
export async function explainState(
  sql: Sql,
  { tenantId, environment }: Scope,
  kind: ExplainedKind,
  key: ShownKey,
): Promise<ExplainedState | undefined> {
  const { from, metric, item, cast } = tables[kind];
  const { rows } = await sql.query<ExplainedState & Record<string, unknown>>({
    name: `explain/state-of-${from}`,
    text: `
      select connection_id as "connectionId", collection, provider_record_id as "documentId", local_date as "localDate",
        date_basis as "dateBasis", day_model as "dayModel", utc_offset_s as "utcOffsetS", time_zone as "timeZone",
        provider_date as "providerDate", coverage, provisional, unsettled, doubt is not null as doubted, version, inferred,
        provider_version as "providerVersion", clock_domain as "clockDomain", version_epoch as "versionEpoch", revision, via, complete,
        fresh_from as "freshFrom", fresh_to as "freshTo", coverage_end as "coverageEnd", ingested_at as "ingestedAt",
        normalizer_version as "normalizerVersion", content_hash as "contentHash", deleted, delete_reason as "deleteReason",
        created_at as "createdAt", updated_at as "updatedAt"
      from ${from}
      where tenant_id = $1 and environment = $2 and user_id = $3 and provider = $4 and ${metric} = $5 and source_id = $6
        and ${item} = $7${cast}`,
    values: [tenantId, environment, key.userId, key.provider, key.metric, key.sourceId, key.item],
  });
  return rows[0];
}
