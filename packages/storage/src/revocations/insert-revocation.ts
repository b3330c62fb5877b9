import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface NewRevocation extends Scope {
  readonly id: string;
  readonly providerAppId: string;
  /** Sealed in the context `upstream_revocation:<id>`. */
  readonly accessToken: Buffer;
  /** Sealed in the context `upstream_revocation:<id>:subject`. */
  readonly subjectId: Buffer;
}

/** An obligation to end a grant at the provider; it outlives the connection and is retried until the provider agrees. */
export async function insertRevocation(sql: Sql, revocation: NewRevocation): Promise<void> {
  await sql.query({
    name: 'insert-revocation',
    text: `
      insert into upstream_revocation (tenant_id, environment, id, provider_app_id, access_token, subject_id)
      values ($1, $2, $3, $4, $5, $6)`,
    values: [
      revocation.tenantId,
      revocation.environment,
      revocation.id,
      revocation.providerAppId,
      revocation.accessToken,
      revocation.subjectId,
    ],
  });
}
