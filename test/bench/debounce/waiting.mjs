// Windows that wait are rows and nothing else: what it costs that there are a million of them.
import { claimWindows, fileNotices, findDueLanes } from '../../../packages/storage/dist/index.js';
import { median } from '../median.mjs';
import { arrive, emptyWindows, pings, scope } from './world.mjs';

const lane = { ...scope, lane: 0 };
const CLAIM = { limit: 20, leaseMs: 30_000 };

export async function measureWaiting(pool, { worker, count, seconds, say }) {
  await emptyWindows(pool);
  const alone = await timings(pool);
  await pause(2);
  const before = await worker.memoryMb();
  const begin = performance.now();
  for (let at = 0; at < count; at += 100_000) {
    await pool.query(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, due_at)
       select $1, $2, 'con_' || (1 + n % 1000), 'sleep', 'object', 'night-' || n, 'night-' || n, now() + interval '1 hour' + n * interval '1 ms'
       from generate_series($3::int, $3::int + $4::int - 1) n`,
      [scope.tenantId, scope.environment, at, Math.min(100_000, count - at)],
    );
  }
  const insertSeconds = (performance.now() - begin) / 1000;
  await pool.query('analyze fetch_window');
  // The worker scans several times a second meanwhile.
  await pause(seconds);
  const rssMb = await worker.memoryMb();
  const million = await timings(pool);
  const plans = await plansOf(pool);
  const fileMicros = await filing(pool);
  await emptyWindows(pool);
  say(
    `waiting  ${count} windows: ${(rssMb - before).toFixed(1)} MB more after ${seconds} s; claim ${million.claimMs.toFixed(2)} ms ` +
      `(alone ${alone.claimMs.toFixed(2)}), scan ${million.scanMs.toFixed(2)} ms (alone ${alone.scanMs.toFixed(2)})`,
  );
  return {
    windows: count,
    insertSeconds,
    growthMb: rssMb - before,
    rssMb,
    seconds,
    claimMs: million.claimMs,
    claimAloneMs: alone.claimMs,
    scanMs: million.scanMs,
    scanAloneMs: alone.scanMs,
    fileMicros,
    plans,
  };
}

/** Claims of twenty due windows, and scans for lanes. In one transaction that is rolled back, so that the worker sees none of them. */
async function timings(pool) {
  const [claims, scans] = [[], []];
  const client = await pool.connect();
  try {
    for (let round = 0; round < 30; round += 1) {
      await client.query('begin');
      await client.query(
        `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, priority, due_at)
         select $1, $2, 'con_' || n, 'daily_activity', 'object', 'due-' || n, 'due-' || n, n % 3, now() - interval '1 s' from generate_series(1, 20) n`,
        [scope.tenantId, scope.environment],
      );
      let begin = performance.now();
      const lanes = await findDueLanes(client);
      scans.push(performance.now() - begin);
      begin = performance.now();
      const claimed = await claimWindows(client, lane, CLAIM);
      claims.push(performance.now() - begin);
      await client.query('rollback');
      if (lanes.length !== 1 || claimed.length !== 20) throw new Error(`found ${lanes.length} lanes and claimed ${claimed.length} windows`);
    }
  } finally {
    client.release();
  }
  return { claimMs: median(claims), scanMs: median(scans) };
}

/** Microseconds a ping to be filed beside all that waits. */
async function filing(pool) {
  await arrive(pool, pings(5_000, 50));
  const begin = performance.now();
  for (let taken = 500; taken === 500; ) ({ taken } = await fileNotices(pool, scope, 500));
  return ((performance.now() - begin) * 1e3) / 5_000;
}

/** By which index the statements go; throws when one reads the whole table. */
async function plansOf(pool) {
  const texts = {};
  const spy = (name) => ({
    async query({ text, values }) {
      texts[name] = { text, values };
      return { rows: [] };
    },
  });
  await claimWindows(spy('claim'), lane, CLAIM);
  await findDueLanes(spy('scan'));
  const plans = {};
  for (const [name, { text, values }] of Object.entries(texts)) {
    const { rows } = await pool.query({ text: `explain (format json) ${text}`, values });
    const nodes = flat(rows[0]['QUERY PLAN'][0].Plan).filter(
      (node) => node['Relation Name'] === 'fetch_window' && node['Node Type'] !== 'ModifyTable',
    );
    const whole = nodes.find((node) => node['Node Type'] === 'Seq Scan');
    if (whole) throw new Error(`${name} reads all windows: ${JSON.stringify(rows[0])}`);
    plans[name] = [...new Set(nodes.map((node) => node['Index Name'] ?? node['Node Type']))].join(', ');
  }
  return plans;
}

function flat(plan) {
  return [plan, ...(plan.Plans ?? []).flatMap(flat)];
}

function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
