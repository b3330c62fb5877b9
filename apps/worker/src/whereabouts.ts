import type { Whereabouts } from '@tributary/domain';
import type { Provider } from '@tributary/providers';
import { type ClaimedWindow, type ConnectionStanding, learnZone, loadStanding } from '@tributary/storage';
import { followPermissions } from './permissions.js';
import { redateConnection } from './redate-rows.js';
import type { WorkerContext } from './worker-context.js';

/** What a read is to know of its connection. */
export interface ReadStanding {
  readonly whereabouts: Whereabouts;
  /** What the person lets us read. */
  readonly scopes: readonly string[];
}

type Lent = Pick<WorkerContext, 'pool' | 'clock' | 'log' | 'metrics'>;

/**
 * Where the person was and what they let us read, with all done first that the connection owes its rows for it. Undefined: the connection
 * is not there any more. Endpoints get their tickets from the due-scan.
 */
export async function keepStanding(context: Lent, window: ClaimedWindow, provider: Provider): Promise<ReadStanding | undefined> {
  const standing = await loadStanding(context.pool, window, window.connectionId);
  if (standing === undefined) return undefined;
  const { scopes, permissionsDue, redateDue } = standing;
  const { connectionId } = window;
  if (permissionsDue) {
    await followPermissions(context, window, provider, scopes);
  }
  const whereabouts = whereaboutsOf(standing);
  if (redateDue) {
    const { redated } = await redateConnection(context, { owner: window, standing, whereabouts });
    context.metrics.records.inc({ verdict: 'redated' }, redated);
    if (redated > 0) context.log.info({ what: 'connection.redated', connectionId, redated });
  }
  return { whereabouts, scopes };
}

export function whereaboutsOf({ zones, fallbackZone }: Pick<ConnectionStanding, 'zones' | 'fallbackZone'>): Whereabouts {
  return { profile: zones, fallbackZone, tzdb: process.versions.tz ?? 'unknown' };
}

/**
 * A read told the zone of the provider's profile. Where that is news, rows that rest on a guess move at once.
 * @param seenAt start of the read, epoch milliseconds.
 */
export async function learnProfileZone(
  context: Lent,
  window: ClaimedWindow,
  provider: Provider,
  { zone, seenAt }: { zone: string; seenAt: number },
) {
  if (await learnZone(context.pool, window, window.connectionId, { zone, seenAt })) await keepStanding(context, window, provider);
}
