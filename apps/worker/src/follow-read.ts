import type { ClaimedWindow } from '@tributary/storage';
import { followAbsences } from './absences.js';
import type { Reading } from './read-provider.js';
import type { SeenRows } from './seen-rows.js';
import { learnProfileZone } from './whereabouts.js';
import type { WorkerContext } from './worker-context.js';

export interface FollowedRead {
  readonly read: Extract<Reading, { is: 'read' }>;
  /** All that it showed, also what then was found to be another row's. */
  readonly shown: SeenRows;
}

/**
 * What a read says beyond the rows that it showed: where the person's profile is, and what is not there any more. After the rows were
 * written, so that those of this read take part.
 * @returns endpoints that are owed something now.
 */
export async function followRead(
  context: Pick<WorkerContext, 'pool' | 'clock' | 'log' | 'metrics' | 'providers'>,
  window: ClaimedWindow,
  { read, shown }: FollowedRead,
): Promise<readonly string[]> {
  const { outcome, via, readVersion, standing } = read;
  const provider = context.providers.get(window.provider);
  if (provider === undefined || standing === undefined || outcome.is !== 'records') return [];
  const { profileZone } = outcome;
  const known = standing.whereabouts.profile.at(-1)?.zone;
  if (profileZone !== undefined && profileZone !== known)
    await learnProfileZone(context, window, provider, { zone: profileZone, seenAt: readVersion / 1000 });
  if (via !== 'pull' || !shown.read.complete || shown.putAside.length > 0) return [];
  const names = new Set(shown.rows.map(({ name }) => name));
  const { endpoints, gone, held } = await followAbsences(context, window, { provider, shown: names, scopes: standing.scopes, readVersion });
  const { connectionId, collection } = window;
  context.metrics.records.inc({ verdict: 'absent' }, gone);
  context.metrics.records.inc({ verdict: 'absent_en_masse' }, held);
  if (gone > 0) context.log.info({ what: 'rows.absent', connectionId, collection, gone });
  if (held > 0) context.log.warn({ what: 'rows.absent_en_masse', connectionId, collection, rows: held });
  return endpoints;
}
