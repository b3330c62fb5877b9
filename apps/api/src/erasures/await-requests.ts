import { setTimeout as wait } from 'node:timers/promises';
import type { Scope } from '@tributary/domain';
import { isUnderWay, letGoOfErased } from '@tributary/storage';
import type { ApiContext } from '../api-context.js';

const LOOK_EVERY_MS = 50;
/** Of looks that failed in a row; the erasure itself is done by then. */
const MOST_FAILURES = 100;

/**
 * Waits until no request is under way that tells of events which were erased while somebody was sending them: those in hand come to their end, which
 * takes a request's deadline at the most, and no other is begun. A sender that was killed is waited for until its lease ends.
 */
export async function awaitRequests({ pool, log }: Pick<ApiContext, 'pool' | 'log'>, scope: Scope, eventIds: readonly string[]) {
  if (eventIds.length === 0) return;
  for (let failures = 0; failures < MOST_FAILURES; ) {
    try {
      if (!(await isUnderWay(pool, scope, eventIds))) {
        await letGoOfErased(pool, scope, { endpointId: null, eventIds });
        return;
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      log.warn({ what: 'erasure.look_failed', err: error });
    }
    await wait(LOOK_EVERY_MS);
  }
}
