import { drawRevisions, inTransaction, insertEvents } from '@tributary/storage';
import type { Person, Workbench } from './workbench.js';

/** Columns of a record that a test is about; the rest is filled in. */
export type SourceColumns = Readonly<Record<string, unknown>>;

const tables = {
  daily: { table: 'daily_rollup', key: ['metric', 'local_date', 'source_id'] },
  session: { table: 'session_record', key: ['kind', 'source_id', 'record_id'] },
  measurement: { table: 'measurement_record', key: ['metric', 'source_id', 'record_id'] },
  series: { table: 'series_day', key: ['metric', 'source_id', 'item'] },
} as const;

/**
 * A row of a source as the worker applies it, together with its revision and the event that tells of it: what the resolved view is made
 * from. `deleted: true` makes it a tombstone.
 */
export async function putSource(
  bench: Workbench,
  { scope, user, connection }: Person,
  kind: keyof typeof tables,
  columns: SourceColumns,
): Promise<void> {
  const { table, key } = tables[kind];
  await inTransaction(bench.db.pool, async (client) => {
    const revision = await drawRevisions(client, scope, 1);
    const type = (columns['type'] as string | undefined) ?? 'watch';
    const sourceId = (columns['source_id'] as string | undefined) ?? `src_${type}`;
    const origin = columns['origin'];
    const row: Record<string, unknown> = {
      tenant_id: scope.tenantId,
      environment: scope.environment,
      user_id: user.id,
      provider: 'oura',
      connection_id: connection.id,
      provider_record_id: 'doc',
      source_id: sourceId,
      source: JSON.stringify({
        id: sourceId,
        type,
        manufacturer: null,
        model: null,
        ...(origin !== undefined && { originProvider: origin }),
      }),
      date_basis: 'provider_date',
      day_model: 'civil',
      utc_offset_s: 0,
      provisional: false,
      version: revision,
      inferred: true,
      revision,
      content_hash: Buffer.from('c'),
      deleted: false,
      ...Object.fromEntries(Object.entries(columns).filter(([name]) => name !== 'type' && name !== 'origin')),
    };
    const names = Object.keys(row);
    await client.query(
      `insert into ${table} (${names.join()}) values (${names.map((_, n) => `$${n + 1}`).join()})
       on conflict (tenant_id, environment, user_id, provider, ${key.join()}) do update set
         ${names.map((name) => `${name} = excluded.${name}`).join()}`,
      Object.values(row),
    );
    const sleep = row['kind'] === 'sleep';
    const metric = kind === 'session' ? (sleep ? 'sleep_session' : 'workout') : String(row['metric']);
    const told = kind === 'daily' ? 'daily_total' : kind;
    const data = { metric, kind: told, localDate: row['local_date'], previousLocalDate: columns['previous_local_date'] ?? null };
    const updated = kind === 'session' ? (sleep ? 'sleep.updated' : 'workout.updated') : (`${kind}.updated` as const);
    await insertEvents(client, scope, [
      {
        id: `evt_${scope.tenantId}_${revision}`,
        type: columns['deleted'] === true ? 'record.deleted' : updated,
        revision,
        userId: user.id,
        provider: String(row['provider']),
        metric,
        data: Buffer.from(JSON.stringify(data)),
      },
    ]);
  });
}
