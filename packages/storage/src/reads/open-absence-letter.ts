import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface AbsenceLetter extends Scope {
  readonly id: string;
  readonly connectionId: string;
  readonly collection: string;
  /** Civil days, `to` exclusive: reading them again, once the fault is mended, closes the letter. */
  readonly from: string;
  readonly to: string;
  readonly detail: string;
  /** Of the parser; a newer one has it read again. */
  readonly normalizerVersion: number;
}

/**
 * So much vanished at once that it is more likely a fault than a wish: a person must look. In the bucket `drift`, since what is wrong is
 * what we made of an answer, and reading again after it is mended is the remedy.
 */
export async function openAbsenceLetter(sql: Sql, letter: AbsenceLetter): Promise<void> {
  await sql.query({
    name: 'reads/open-absence-letter',
    text: `
      insert into dead_letter as l (tenant_id, environment, id, provider, provider_app_id, user_id, connection_id, collection, window_kind,
        window_start, window_end, bucket, code, detail, normalizer_version)
      select c.tenant_id, c.environment, $4, c.provider, c.provider_app_id, c.user_id, c.id, $5, 'days', $6, $7, 'drift', 'mass_absence', $8, $9
      from connection c
      where c.tenant_id = $1 and c.environment = $2 and c.id = $3
      for key share of c
      on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end)
        where closed_at is null and connection_id is not null
      do update set bucket = excluded.bucket, code = excluded.code, detail = excluded.detail,
        normalizer_version = excluded.normalizer_version`,
    values: [
      letter.tenantId,
      letter.environment,
      letter.connectionId,
      letter.id,
      letter.collection,
      letter.from,
      letter.to,
      letter.detail,
      letter.normalizerVersion,
    ],
  });
}
