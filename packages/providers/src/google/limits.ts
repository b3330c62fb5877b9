import type { BucketFacts, ProviderLimits } from '../provider.js';
import { comeBackAt } from '../rate-headers.js';

/**
 * 300 calls a minute for each person; 120 000 a minute and 86.4 million a day for each project (developers.google.com/health, rate limits).
 * No header tells of them and where a minute begins is not said, so half at once and the rest at that pace: no minute then sees more than
 * the limit, and 1 000 in a second are 86.4 million in a day.
 */
const person: BucketFacts = { name: 'minute', capacity: 150, refill: { is: 'steady', perS: 2.5 }, reserved: 0.3 };
const project: BucketFacts = { name: 'minute', capacity: 60_000, refill: { is: 'steady', perS: 1_000 }, reserved: 0.3 };

const LONGEST_REFUSAL = 4_096;

export const googleLimits: ProviderLimits = {
  app: [project],
  connection: [person],
  quotasOf: () => [],

  /** 429 `RESOURCE_EXHAUSTED` names the quota in its details: unless that is the project's alone, it is the person's, which is met first. */
  refusalOf({ status, headers, body }, now) {
    if (status !== 429) return undefined;
    const said = body.toString('utf8', 0, LONGEST_REFUSAL);
    const isProjects = /per ?project|\{project\}/i.test(said) && !/per ?user|\{user\}/i.test(said);
    return { scope: isProjects ? 'app' : 'connection', bucket: 'minute', until: comeBackAt(headers, now) };
  },
};
