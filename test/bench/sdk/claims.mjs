import { claimTableSql, postgresStore } from '../../../packages/sdk/dist/postgres.js';
import { median } from '../median.mjs';

/** Events that are under way at the same moment. */
const lanes = 8;

/** The barest pair of statements that remembers as much: a row for the claim, and when it was done. */
const bare = {
  table: `create table bare_claim (endpoint text, webhook_id text, token uuid, leased_until timestamptz, done_at timestamptz,
    primary key (endpoint, webhook_id))`,
  claim: `insert into bare_claim (endpoint, webhook_id, token, leased_until) values ($1, $2, $3, now() + interval '60 s')`,
  complete: 'update bare_claim set done_at = now() where endpoint = $1 and webhook_id = $2 and token = $3',
};

/** Pairs of claim and completion of new events, in turns; the ratio is of one round, then their median. */
export async function measureClaims(pool, { rounds, pairs, say }) {
  await pool.query(claimTableSql());
  await pool.query(bare.table);
  const store = postgresStore(pool);
  const ways = {
    store: async (key) => {
      const claim = await store.claim(key, 60);
      if (!(await store.complete(key, claim.token))) throw new Error('A claim was lost.');
    },
    bare: async ({ endpoint, id }) => {
      const token = crypto.randomUUID();
      await pool.query(bare.claim, [endpoint, id, token]);
      await pool.query(bare.complete, [endpoint, id, token]);
    },
  };
  let made = 0;
  const perSecond = async (way) => {
    let left = pairs;
    const begin = performance.now();
    const lane = async () => {
      while (left-- > 0) await way({ endpoint: 'default', id: `evt_${++made}` });
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return (pairs * 1000) / (performance.now() - begin);
  };
  for (const way of Object.values(ways)) await perSecond(way);
  const samples = { store: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const who of round % 2 === 0 ? ['store', 'bare'] : ['bare', 'store']) samples[who].push(await perSecond(ways[who]));
    say(
      `claim and complete, round ${round + 1}/${rounds}: ${Math.round(samples.store[round])} /s, bare ${Math.round(samples.bare[round])} /s`,
    );
  }
  return {
    ratio: median(samples.store.map((ours, round) => ours / samples.bare[round])),
    perSecond: median(samples.store),
    barePerSecond: median(samples.bare),
  };
}
