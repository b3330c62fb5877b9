import type { BucketFacts, ProviderLimits, ProviderReply } from '../provider.js';
import { comeBackAt, countOf, resetAt, unsaid } from '../rate-headers.js';

/**
 * 5 000 calls in five minutes, for each token and for each app (Oura's OpenAPI and FAQ). Where its windows begin is not said before the
 * first 429, so half at once and the rest at that pace: no five minutes then see more than the limit.
 */
const fiveMinutes: BucketFacts = { name: 'five_minutes', capacity: 2_500, refill: { is: 'steady', perS: 2_500 / 300 }, reserved: 0.3 };

const scopeOf = ({ headers }: ProviderReply) =>
  /token|user/i.test(headers['x-ratelimit-tier'] ?? '') ? ('connection' as const) : ('app' as const);

/** Only a 429 has headers: `X-RateLimit-Limit`, `-Window` in seconds, `-Reset` and `-Tier`, and `Retry-After`. */
export const ouraLimits: ProviderLimits = {
  app: [fiveMinutes],
  connection: [fiveMinutes],

  quotasOf(reply, now) {
    const { headers } = reply;
    const limit = countOf(headers['x-ratelimit-limit']);
    const windowS = countOf(headers['x-ratelimit-window']);
    const resetsAt = resetAt(headers['x-ratelimit-reset'], now);
    if (limit === undefined && resetsAt === undefined) return [];
    const quota = {
      limit,
      remaining: countOf(headers['x-ratelimit-remaining']),
      resetsAt,
      windowMs: windowS === undefined ? undefined : windowS * 1000,
    };
    return [{ scope: scopeOf(reply), bucket: fiveMinutes.name, quota: { ...unsaid, ...quota } }];
  },

  refusalOf(reply, now) {
    if (reply.status !== 429) return undefined;
    const until = comeBackAt(reply.headers, now, resetAt(reply.headers['x-ratelimit-reset'], now));
    return { scope: scopeOf(reply), bucket: fiveMinutes.name, until };
  },
};
