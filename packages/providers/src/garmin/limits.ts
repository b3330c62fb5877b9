import type { BucketFacts, ProviderLimits } from '../provider.js';
import { comeBackAt } from '../rate-headers.js';

/**
 * Garmin says how much may be asked for again (100 days a minute in evaluation, 10 000 in production) and nothing of reads; so this only
 * keeps a mistake of ours in bounds, at far more than an app of a hundred thousand people needs.
 */
const reads: BucketFacts = { name: 'reads', capacity: 1_000, refill: { is: 'steady', perS: 50 }, reserved: 0.3 };

/** 429, with `Retry-After` at times; no other header tells of limits. */
export const garminLimits: ProviderLimits = {
  app: [reads],
  connection: [],
  quotasOf: () => [],

  refusalOf({ status, headers }, now) {
    return status === 429 ? { scope: 'app', bucket: reads.name, until: comeBackAt(headers, now) } : undefined;
  },
};
