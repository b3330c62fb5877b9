import type { BucketFacts, BucketQuota, ProviderLimits, ProviderReply } from '../provider.js';
import { comeBackAt, countsOf, leftOf, resetAt, unsaid } from '../rate-headers.js';

/**
 * 500 and 20 more for each person in 15 minutes, 5 000 and 100 more for each person in a day, for each client (AccessLink, as open-wearables
 * documents it). It begins with what a client without people has; the answers say the rest.
 */
const quarterHour: BucketFacts = { name: 'quarter_hour', capacity: 500, refill: { is: 'window', lengthMs: 900_000 }, reserved: 0.3 };
const day: BucketFacts = { name: 'day', capacity: 5_000, refill: { is: 'window', lengthMs: 86_400_000 }, reserved: 0.3 };
const windows = [
  { bucket: quarterHour.name, windowMs: 900_000 },
  { bucket: day.name, windowMs: 86_400_000 },
] as const;

/** `RateLimit-Usage`, `RateLimit-Limit` and `RateLimit-Reset`, each a pair: of the 15 minutes, and of the day. Resets in seconds. */
export const polarLimits: ProviderLimits = {
  app: [quarterHour, day],
  connection: [],

  quotasOf({ headers }, now) {
    const limits = countsOf(headers['ratelimit-limit']);
    const used = countsOf(headers['ratelimit-usage']);
    return windows.flatMap(({ bucket, windowMs }, place): BucketQuota[] => {
      const limit = limits[place];
      if (limit === undefined) return [];
      return [
        {
          scope: 'app',
          bucket,
          quota: { ...unsaid, limit, remaining: leftOf(limit, used[place]), windowMs, resetsAt: resetIn(headers, place, now) },
        },
      ];
    });
  },

  refusalOf(reply, now) {
    if (reply.status !== 429) return undefined;
    const quotas = this.quotasOf(reply, now);
    const isSpent = (name: string) => quotas.some(({ bucket, quota }) => bucket === name && quota.remaining === 0);
    // Without a word on its use, the short one: what is called again too early is refused again.
    const place = isSpent(day.name) ? 1 : 0;
    const ranOut = windows[place];
    return { scope: 'app', bucket: ranOut.bucket, until: comeBackAt(reply.headers, now, resetIn(reply.headers, place, now)) };
  },
};

/** A reset beyond the end of its window is a mistake. */
function resetIn(headers: ProviderReply['headers'], place: number, now: number): number | undefined {
  const at = resetAt(headers['ratelimit-reset']?.split(',')[place], now);
  const windowMs = windows[place]?.windowMs ?? 0;
  return at !== undefined && at - now <= windowMs ? at : undefined;
}
