import type { BucketFacts, BucketQuota, ProviderLimits, ProviderReply } from '../provider.js';
import { comeBackAt, countsOf, leftOf, unsaid } from '../rate-headers.js';

const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 86_400_000;

/**
 * Of each app: 200 calls in a quarter of an hour and 2 000 in a day, of which 100 and 1 000 may read (developers.strava.com, rate
 * limits). Windows begin at :00, :15, :30 and :45 and at midnight UTC.
 */
const reads: readonly BucketFacts[] = [
  { name: 'read_quarter_hour', capacity: 100, refill: { is: 'window', lengthMs: QUARTER_HOUR_MS }, reserved: 0.3 },
  { name: 'read_day', capacity: 1_000, refill: { is: 'window', lengthMs: DAY_MS }, reserved: 0.3 },
];
const overall: readonly BucketFacts[] = [
  { name: 'quarter_hour', capacity: 200, refill: { is: 'window', lengthMs: QUARTER_HOUR_MS }, reserved: 0.3, counts: 'everything' },
  { name: 'day', capacity: 2_000, refill: { is: 'window', lengthMs: DAY_MS }, reserved: 0.3, counts: 'everything' },
];

/** `X-RateLimit-Limit: 200,2000` and `-Usage: 12,340` for everything, `X-ReadRateLimit-…` for reads; no header says when to come back. */
export const stravaLimits: ProviderLimits = {
  app: [...reads, ...overall],
  connection: [],

  quotasOf({ headers }) {
    return [...quotasIn(headers, 'x-readratelimit', reads), ...quotasIn(headers, 'x-ratelimit', overall)];
  },

  refusalOf(reply, now) {
    if (reply.status !== 429) return undefined;
    const spent = this.quotasOf(reply, now).filter(({ quota }) => quota.remaining === 0);
    // Of those that are spent the day's counts: it is the last to begin anew.
    const ranOut = spent.find(({ quota }) => quota.windowMs === DAY_MS) ?? spent[0];
    const resetsAt = (Math.floor(now / (ranOut?.quota.windowMs ?? QUARTER_HOUR_MS)) + 1) * (ranOut?.quota.windowMs ?? QUARTER_HOUR_MS);
    return { scope: 'app', bucket: ranOut?.bucket ?? 'read_quarter_hour', until: comeBackAt(reply.headers, now, resetsAt) };
  },
};

function quotasIn(headers: ProviderReply['headers'], name: string, buckets: readonly BucketFacts[]): BucketQuota[] {
  const limits = countsOf(headers[`${name}-limit`]);
  const used = countsOf(headers[`${name}-usage`]);
  return buckets.flatMap(({ name: bucket }, place): BucketQuota[] => {
    const limit = limits[place];
    if (limit === undefined) return [];
    const windowMs = place === 0 ? QUARTER_HOUR_MS : DAY_MS;
    return [{ scope: 'app', bucket, quota: { ...unsaid, limit, remaining: leftOf(limit, used[place]), windowMs } }];
  });
}
