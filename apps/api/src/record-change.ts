import { newId } from '@tributary/service-shell';
import { inTransaction, insertAuditEntry } from '@tributary/storage';
import type { ApiContext } from './api-context.js';
import type { Caller } from './auth/caller.js';

type Work<T> = (client: Parameters<Parameters<typeof inTransaction>[1]>[0]) => Promise<{
  /** Our own id of what was changed; undefined: nothing was, so there is nothing to write down. */
  readonly target: string | undefined;
  readonly result: T;
}>;

/** Runs a mutating call in one transaction together with its line in the audit log: neither stands without the other. */
export function recordChange<T>({ pool }: Pick<ApiContext, 'pool'>, caller: Caller, action: string, work: Work<T>): Promise<T> {
  return inTransaction(pool, async (client) => {
    const { target, result } = await work(client);
    if (target === undefined) return result;
    await insertAuditEntry(client, {
      tenantId: caller.tenantId,
      environment: caller.environment,
      id: newId('aud'),
      actor: caller.actor,
      action,
      target,
      requestId: caller.requestId,
    });
    return result;
  });
}
