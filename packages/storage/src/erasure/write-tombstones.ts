import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

export interface Tombstone {
  readonly providerAppId: string;
  readonly subjectHash: Buffer;
}

/** @returns how many were written now. */
export async function writeTombstones(sql: Sql, { tenantId, environment }: Scope, tombstones: readonly Tombstone[]): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'write-tombstones',
    text: `
      insert into subject_tombstone (tenant_id, environment, provider_app_id, subject_hash)
      select $1, $2, t.app, t.hash from unnest($3::text[], $4::bytea[]) as t (app, hash)
      order by t.app, t.hash
      on conflict (subject_hash, tenant_id, environment, provider_app_id) do update set erased_at = excluded.erased_at`,
    values: [
      tenantId,
      environment,
      pgArray(
        'text',
        tombstones.map((t) => t.providerAppId),
      ),
      pgArray(
        'bytea',
        tombstones.map((t) => t.subjectHash),
      ),
    ],
  });
  return rowCount ?? 0;
}
