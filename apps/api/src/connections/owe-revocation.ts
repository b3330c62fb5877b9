import type { Scope } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { type Sql, insertRevocation, subjectIsShared } from '@tributary/storage';
import type { ApiContext } from '../api-context.js';

export interface EndedGrant {
  readonly providerAppId: string;
  readonly subjectId: string;
  /** The connection that the grant was for; undefined when it never became one. */
  readonly connectionId: string | undefined;
  readonly accessToken: string;
}

/**
 * Writes down that a grant has to be ended at the provider; the worker does it and repeats until it is done. Not when another
 * connection lives on the same person's grant, which would end with it. @returns whether it is owed.
 */
export async function oweRevocation({ keys }: Pick<ApiContext, 'keys'>, sql: Sql, scope: Scope, grant: EndedGrant): Promise<boolean> {
  const { providerAppId, subjectId, connectionId } = grant;
  if (await subjectIsShared(sql, scope, { providerAppId, subjectId, exceptConnectionId: connectionId })) return false;
  const id = newId('rev');
  await insertRevocation(sql, {
    tenantId: scope.tenantId,
    environment: scope.environment,
    id,
    providerAppId,
    accessToken: keys.seal(grant.accessToken, `upstream_revocation:${id}`),
    subjectId: keys.seal(subjectId, `upstream_revocation:${id}:subject`),
  });
  return true;
}
