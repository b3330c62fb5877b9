// What a receiver pays for each event. Two questions:
//   verify   proof and parsing of one body, 0.5, 4 and 64 kB, against the packages of Standard Webhooks, Svix and Stripe: each under the
//            signature that its own vendor sends, from the bytes as Node has them to the parsed event
//   claim    claim and complete through the Postgres store against the barest pair of statements that remembers as much
import { measureClaims } from './claims.mjs';
import { measureVerify } from './verify.mjs';

export const builds = ['packages/sdk', 'migrations', 'packages/embedded-services'];

export async function measure({ pool }, { quick, say, stops }) {
  const verify = await measureVerify({ rounds: quick ? 5 : 15, milliseconds: quick ? 100 : 200, say, stops });
  const claims = await measureClaims(pool, { rounds: quick ? 5 : 11, pairs: quick ? 300 : 2_000, say });
  return {
    ratios: { ...verify.ratios, claimCompleteVsBare: claims.ratio },
    latency: verify.micros,
    throughput: { claimCompletePerSecond: claims.perSecond, barePerSecond: claims.barePerSecond },
  };
}
