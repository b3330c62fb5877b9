import type { Scope, Version } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** A document as a wider read shows it. */
export interface ReadDocument {
  readonly connectionId: string;
  readonly collection: string;
  readonly document: string;
  /** Start of that read, microseconds since the epoch. */
  readonly readVersion: Version;
}

/**
 * Which of these documents were read by themselves after the wider read began. What that shows of them is old, also where the newer one
 * found nothing and so left no row to compare with.
 * @returns their places.
 */
export async function findNewerReads(
  sql: Sql,
  { tenantId, environment }: Scope,
  documents: readonly ReadDocument[],
): Promise<ReadonlySet<number>> {
  if (documents.length === 0) return new Set();
  const { rows } = await sql.query<{ k: number }>({
    name: 'windows/find-newer-reads',
    text: `
      select k.k::int4
      from unnest($3::text[], $4::text[], $5::text[], $6::int8[]) with ordinality as k (connection_id, collection, document, read_version, k)
      join fetch_window w on w.tenant_id = $1 and w.environment = $2 and w.connection_id = k.connection_id and w.collection = k.collection
        and w.window_kind = 'object' and w.window_start = k.document and w.window_end = k.document and w.read_version > k.read_version`,
    values: [
      tenantId,
      environment,
      ...(['connectionId', 'collection', 'document'] as const).map((field) =>
        pgArray(
          'text',
          documents.map((one) => one[field]),
        ),
      ),
      pgArray(
        'int8',
        documents.map((one) => one.readVersion),
      ),
    ],
  });
  return new Set(rows.map(({ k }) => k - 1));
}
