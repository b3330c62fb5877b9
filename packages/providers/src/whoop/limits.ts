import type { BucketFacts, BucketQuota, ProviderLimits, ProviderReply } from '../provider.js';
import { comeBackAt, countOf, resetAt, unsaid } from '../rate-headers.js';

/** 100 a minute and 10 000 a day for each app (developer.whoop.com, rate limiting); when they begin anew is told with each answer. */
const minute: BucketFacts = { name: 'minute', capacity: 100, refill: { is: 'window', lengthMs: 60_000 }, reserved: 0.3 };
const day: BucketFacts = { name: 'day', capacity: 10_000, refill: { is: 'window', lengthMs: 86_400_000 }, reserved: 0.3 };

interface Policy {
  readonly limit: number;
  readonly windowS: number;
}

/**
 * `X-RateLimit-Limit: 100, 100;window=60, 10000;window=86400`: the limit that is nearest, then all of them. `X-RateLimit-Remaining` and
 * `X-RateLimit-Reset`, in seconds, are of the nearest one.
 */
export const whoopLimits: ProviderLimits = {
  app: [minute, day],
  connection: [],

  quotasOf(reply, now) {
    const { policies, nearest } = readPolicies(reply.headers);
    const remaining = countOf(reply.headers['x-ratelimit-remaining']);
    const resetsAt = resetAt(reply.headers['x-ratelimit-reset'], now);
    return policies.map((policy): BucketQuota => {
      const windowMs = policy.windowS * 1000;
      // A reset beyond the end of the window is of another one, whatever the header says.
      const isUsable = policy === nearest && resetsAt !== undefined && resetsAt - now <= windowMs;
      const left = policy === nearest ? remaining : undefined;
      const quota = { ...unsaid, limit: policy.limit, windowMs, remaining: left, resetsAt: isUsable ? resetsAt : undefined };
      return { scope: 'app', bucket: bucketOf(policy).name, quota };
    });
  },

  refusalOf({ status, headers }, now) {
    if (status !== 429) return undefined;
    const { nearest } = readPolicies(headers);
    const until = comeBackAt(headers, now, resetAt(headers['x-ratelimit-reset'], now));
    return { scope: 'app', bucket: nearest === undefined ? minute.name : bucketOf(nearest).name, until };
  },
};

function readPolicies(headers: ProviderReply['headers']): { readonly policies: readonly Policy[]; readonly nearest: Policy | undefined } {
  const [first, ...rest] = (headers['x-ratelimit-limit'] ?? '').split(',');
  const policies = rest.flatMap((text): Policy[] => {
    const [limit, window] = text.split(';');
    const [read, windowS] = [countOf(limit), countOf(/^\s*window=(.+)$/.exec(window ?? '')?.[1])];
    return read !== undefined && read > 0 && windowS !== undefined && windowS > 0 ? [{ limit: read, windowS }] : [];
  });
  return { policies, nearest: policies.find(({ limit }) => limit === countOf(first)) };
}

/** @returns the bucket for spans of such a length. */
function bucketOf({ windowS }: Policy): BucketFacts {
  return windowS <= 3_600 ? minute : day;
}
