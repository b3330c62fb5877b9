import type { FetchOutcome, Window } from '@tributary/domain';
import { EndOfRead, outcomeOf } from '../drift.js';
import type { CollectionFacts, FetchContext } from '../provider.js';
import { refusalOf, retryAtOf } from '../reply.js';

const SCOPE = 'HISTORICAL_DATA_EXPORT';

/** Garmin takes 90 days of health data in one request, and 30 of activities. */
const health = { scope: SCOPE, byDays: true, asked: true, spanDays: 90 } as const;

/**
 * Garmin's past, by the paths at which it is asked for. The data come as webhooks afterwards, so a window counts as read when Garmin has
 * taken the request.
 */
export const garminHistory = {
  'backfill/dailies': { ...health, holds: 'daily' },
  'backfill/sleeps': { ...health, holds: 'sleep' },
  'backfill/activities': { ...health, holds: 'workout', spanDays: 30 },
  'backfill/bodyComps': { ...health, holds: 'measurement' },
  'backfill/bloodPressures': { ...health, holds: 'measurement' },
  'backfill/userMetrics': { ...health, holds: 'daily' },
  'backfill/hrv': { ...health, holds: 'daily' },
  'backfill/skinTemp': { ...health, holds: 'daily' },
  'backfill/epochs': { ...health, holds: 'series' },
  'backfill/respiration': { ...health, holds: 'series' },
  'backfill/pulseOx': { ...health, holds: 'series' },
  'backfill/stressDetails': { ...health, holds: 'series' },
} as const satisfies Record<string, CollectionFacts>;

export type GarminHistory = keyof typeof garminHistory;

export function isGarminHistory(name: string): name is GarminHistory {
  return Object.hasOwn(garminHistory, name);
}

/** The records are none: they come by themselves. */
const taken: FetchOutcome = { is: 'records', complete: true, records: [] };

/**
 * Asks for the past of one type. 409: it was asked for before, and no webhook will come of this request; so there is nothing to wait for
 * either. 412 and 403: the person did not allow it, which Garmin's consent page leaves off unless they switch it on.
 */
export async function askForGarminHistory(
  collection: GarminHistory,
  window: Window,
  { http, origins, accessToken, now }: Pick<FetchContext, 'http' | 'origins' | 'accessToken' | 'now'>,
): Promise<FetchOutcome> {
  if (window.kind !== 'days') return { is: 'drift', detail: 'history is asked for by days' };
  const from = Date.parse(`${window.from}T00:00:00Z`) / 1000;
  const to = Math.min(Date.parse(`${window.to}T00:00:00Z`) / 1000, Math.floor(now / 1000));
  if (to <= from) return taken;
  return outcomeOf(async () => {
    const reply = await http.send({
      method: 'GET',
      url: `${origins.api}/wellness-api/rest/${collection}?summaryStartTimeInSeconds=${from}&summaryEndTimeInSeconds=${to}`,
      headers: { authorization: `Bearer ${accessToken}` },
    });
    if ((reply.status >= 200 && reply.status < 300) || reply.status === 409) return taken;
    if (reply.status === 412) return { is: 'forbidden', scope: SCOPE };
    throw new EndOfRead(refusalOf(reply, SCOPE, () => retryAtOf(reply.headers, now)) ?? taken);
  });
}
