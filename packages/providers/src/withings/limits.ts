import type { BucketFacts, ProviderLimits } from '../provider.js';
import { comeBackAt } from '../rate-headers.js';
import { replyObject } from '../reply.js';
import { TOO_MANY } from './call.js';

/**
 * 120 calls a minute for the whole app, tokens included, which are fetched at the same place. Where the minute begins is not said, so half
 * at once and the rest at that pace: no minute then sees more than the limit.
 */
const minute: BucketFacts = { name: 'minute', capacity: 60, refill: { is: 'steady', perS: 1 }, reserved: 0.3, counts: 'everything' };

/** Longer answers are data. */
const LONGEST_REFUSAL = 4_096;

/** No header says anything, and a refusal is `"status": 601` in a body whose HTTP status is 200. */
export const withingsLimits: ProviderLimits = {
  app: [minute],
  connection: [],
  quotasOf: () => [],

  refusalOf(reply, now) {
    const said = reply.status === 200 && reply.body.length <= LONGEST_REFUSAL ? replyObject(reply)?.['status'] : undefined;
    if (reply.status !== 429 && said !== TOO_MANY) return undefined;
    return { scope: 'app', bucket: minute.name, until: comeBackAt(reply.headers, now) };
  },
};
